//! The word classes that code uses, by name; the other classes of a language are named only by its slots.

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
    /// Negations: "not".
    negation,
    /// Words that open a question: "what", "can".
    asking,
    /// Verbs that form a question before "I", "you" or "we".
    inverting,
    /// Words of greetings, thanks and praise.
    greeting,
    /// Words without content.
    stop,
    /// Words too vague to extract: "thing", "awesome".
    vague,
    /// Health, religion, politics and similar topics.
    sensitive,
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
    /// Words of decisions: "decided".
    deciding,
    /// Words that open a correction: "no", "actually".
    correcting,
    /// "not" between the wrong and the right value.
    not,
    /// "but" after the wrong value.
    but,
    /// Verbs followed by a description of a thing: "is", "runs", "uses".
    copula,
    /// "in", "at".
    place,
    /// Words that point at a thing: "this".
    pointing,
    /// Words that stand for a thing named elsewhere: "it".
    dangling,
    /// The most frequent words, used to guess a language.
    common,
}
