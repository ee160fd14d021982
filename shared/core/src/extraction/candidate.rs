//! What extraction answers with: candidates for records, and what was left out.

use std::ops::Range;

use crate::memory::{Polarity, RecordKind, names};
use crate::time::Timestamp;

/// What a candidate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// A statement about a person or what belongs to them.
    Fact,
    /// What somebody likes, dislikes or wishes from now on.
    Preference,
    /// A choice that was made, or a plan.
    Decision,
    /// How something is that is no person, such as a project or a house.
    Knowledge,
}
names!(Class {
    Fact => "fact",
    Preference => "preference",
    Decision => "decision",
    Knowledge => "knowledge",
});

impl Class {
    /// The kind of the record that a candidate becomes.
    pub const fn kind(self) -> RecordKind {
        match self {
            Self::Fact => RecordKind::Fact,
            Self::Preference => RecordKind::Preference,
            Self::Decision => RecordKind::Decision,
            Self::Knowledge => RecordKind::Knowledge,
        }
    }
}

/// What a candidate is beside its class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Nature {
    /// What is so.
    #[default]
    State,
    /// What happened.
    Event,
    /// What somebody intends.
    Plan,
    /// What an assistant is to do from now on, or to remember.
    Instruction,
}
names!(Nature {
    State => "state",
    Event => "event",
    Plan => "plan",
    Instruction => "instruction",
});

/// A period that a text names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// Its first moment, in UTC.
    pub from: Timestamp,
    /// The first moment behind it.
    pub to: Timestamp,
}

/// Since when and until when a statement holds, as far as its text says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ValidTime {
    /// Since when; never after the message for what is so or happened.
    pub from: Option<Timestamp>,
    /// Until when.
    pub to: Option<Timestamp>,
}

/// Something worth keeping.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// What it is.
    pub class: Class,
    /// What it is beside that.
    pub nature: Nature,
    /// The statement, understandable by itself: the first person is the speaker where that is safe, and else they are named
    /// in front ("Ana: We adopted a dog."). At most `MAX_EXTRACTED_BYTES`.
    pub content: String,
    /// Whom or what it is about; at most `MAX_SUBJECT_BYTES`.
    pub subject: String,
    /// What was said around it, 1-2 sentences with who said them; at most `MAX_SOURCE_CONTEXT_BYTES`.
    pub source_context: String,
    /// From 1, mundane, to 10, critical.
    pub importance: u8,
    /// How sure the rules are, in [0, 1].
    pub confidence: f64,
    /// Liked or disliked, for a preference of which that is known.
    pub polarity: Option<Polarity>,
    /// Since when and until when it holds.
    pub valid: ValidTime,
    /// The period that the text names: when it happened, or is planned for.
    pub period: Option<Period>,
    /// Whether it corrects what was said before.
    pub corrects: bool,
    /// What was wrong, in the words of the text, where a correction says so or it follows from the messages before.
    pub corrected: Option<String>,
    /// Names what only one statement can be true of at a time, such as "ana/home": the newer supersedes the older.
    pub exclusive: Option<String>,
    /// Whether it is about health, religion or the like; only with [`super::Options::sensitive`].
    pub sensitive: bool,
    /// Where the sentence stands in the message, in bytes, between characters.
    pub span: Range<usize>,
}

/// Why something was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Why {
    /// Greetings, thanks, and what one says to be kind.
    Greeting,
    /// A question or a request.
    Question,
    /// What might be or would be.
    Hypothetical,
    /// What is not so.
    Negated,
    /// Code.
    Code,
    /// What a tool or a system wrote, logs and tables.
    ToolNoise,
    /// It holds a key, a password or a number of an account or a card.
    Secret,
    /// Health, religion and the like, without consent.
    Sensitive,
    /// What others said or what is quoted.
    Quoted,
    /// No rule found anything to keep.
    Nothing,
    /// It says in a longer or shorter way what was found already, or is more than is kept of a message.
    Surplus,
}
names!(Why {
    Greeting => "greeting",
    Question => "question",
    Hypothetical => "hypothetical",
    Negated => "negated",
    Code => "code",
    ToolNoise => "tool_noise",
    Secret => "secret",
    Sensitive => "sensitive",
    Quoted => "quoted",
    Nothing => "nothing",
    Surplus => "surplus",
});

/// A part of a message that yields nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Why.
    pub why: Why,
    /// Where it stands in the message, in bytes, between characters.
    pub span: Range<usize>,
}

/// What a message yields.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extraction {
    /// In the order of the message; at most `MAX_EXTRACTED`.
    pub candidates: Vec<Candidate>,
    /// In the order of the message; neighbours with the same reason are one.
    pub left_out: Vec<LeftOut>,
}
