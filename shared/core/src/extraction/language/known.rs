//! The word classes that code uses, by name; the other classes of a language are named only by its rules.

use std::collections::HashMap;

/// A set of word classes, one bit each.
pub(in crate::extraction) type Classes = u128;

macro_rules! known {
    ($($(#[$doc:meta])* $class:ident),+ $(,)?) => {
        /// The word classes used by code; every language defines all of them.
        #[derive(Clone, Copy, Debug, Default)]
        pub(in crate::extraction) struct Known { $($(#[$doc])* pub $class: Classes),+ }

        impl Known {
            /// Looks the classes up; the error is the name of a missing one.
            pub(super) fn of(classes: &HashMap<String, Classes>) -> Result<Self, &'static str> {
                let of = |name: &'static str| classes.get(name).copied().ok_or(name);
                Ok(Self { $($class: of(stringify!($class))?),+ })
            }
        }
    };
}

known! {
    /// Fillers that open sentences: "well".
    filler,
    /// Conjunctions: "and", "because".
    conj,
    /// Adverbs that may stand before a verb: "really".
    adv,
    /// Words about times: "last", "week".
    time,
    /// "I".
    first,
    /// "my".
    mine,
    /// "me".
    me,
    /// "we", "our", "us".
    plural,
    /// "you", "your".
    second,
    /// "he".
    he,
    /// "she".
    she,
    /// Relatives and close people.
    kin,
    /// Women among these.
    woman,
    /// Men among these.
    man,
    /// Words after which a stating clause may begin: "that", "I think".
    opens,
    /// Of these, words that may follow a question: "considering", "because".
    given,
    /// Of these, words that only express an opinion: "I think".
    thinks,
    /// Words from exercises: "equation".
    exercise,
    /// Verbs that give a task: "write".
    ordering,
    /// Words of doubt: "wondering".
    doubting,
    /// Words that make a sentence hypothetical: "if", "would".
    hypothetical,
    /// Negations: "not".
    negation,
    /// Words that open a question: "what", "can".
    asking,
    /// "as" before what was said already: "as I said".
    comparing,
    /// Verbs whose denial leaves true what follows: "I can't believe I moved".
    factive,
    /// Articles.
    article,
    /// Verbs that form a question before "I", "you" or "we".
    inverting,
    /// Words of greetings, thanks and praise.
    greeting,
    /// Verbs that report the words of others: "said".
    said,
    /// Words without content.
    stop,
    /// Words too vague to extract: "thing", "awesome".
    vague,
    /// Health, religion, politics and similar topics.
    sensitive,
    /// Strong feelings and great events.
    strong,
    /// Months.
    month,
    /// Days of the week.
    weekday,
    /// Verbs in the first person present.
    present,
    /// Verbs with the same form in the third person: "was", "moved", "can".
    unchanged,
    /// First-person words that cannot be replaced: "myself".
    fixed,
    /// "and", "or": joins verbs of one subject.
    and,
    /// Words that open a correction: "no", "actually".
    correcting,
    /// "not" between the wrong and the right value.
    not,
    /// "but" after the wrong value.
    but,
    /// Verbs followed by a description of a thing: "is", "runs", "uses".
    copula,
    /// Abbreviations whose full stop does not end a sentence: "Dr."
    abbreviated,
    /// "in", "at".
    place,
    /// Words that show something: "here is".
    presenting,
    /// Words that point at a thing: "this".
    pointing,
    /// Words that stand for a thing named elsewhere: "it".
    dangling,
    /// Pictures.
    picture,
    /// Words that open a relative clause or an indirect question: "which".
    relative,
    /// Conjunctions before what has not happened: "until".
    pending,
    /// Functions and titles that name a speaker: "chair".
    office,
    /// Sounds of a speaker who searches for words: "um".
    hesitation,
    /// Words of formal meetings and their transcripts: "agenda".
    session,
    /// The most frequent words, used to guess a language.
    common,
}
