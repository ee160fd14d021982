//! The results of extraction: candidates for records, and what was left out.

use std::ops::Range;

use crate::memory::{RecordKind, names};
use crate::time::Timestamp;

/// The class of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// A statement about a person or their belongings.
    Fact,
    /// A like, a dislike or a standing wish of a person.
    Preference,
    /// A choice or a plan.
    Decision,
    /// The state of something that is not a person, such as a project or a house.
    Knowledge,
}
names!(Class {
    Fact => "fact",
    Preference => "preference",
    Decision => "decision",
    Knowledge => "knowledge",
});

impl Class {
    /// The kind of record that a candidate becomes.
    pub const fn kind(self) -> RecordKind {
        match self {
            Self::Fact => RecordKind::Fact,
            Self::Preference => RecordKind::Preference,
            Self::Decision => RecordKind::Decision,
            Self::Knowledge => RecordKind::Knowledge,
        }
    }
}

/// The meaning of a candidate, in addition to its class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Nature {
    /// A state.
    #[default]
    State,
    /// An event.
    Event,
    /// An intention.
    Plan,
    /// Something an assistant must do or remember from now on.
    Instruction,
}
names!(Nature {
    State => "state",
    Event => "event",
    Plan => "plan",
    Instruction => "instruction",
});

/// A period named in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// First moment, in UTC.
    pub from: Timestamp,
    /// First moment after it.
    pub to: Timestamp,
}

/// When a statement holds, as far as its text says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ValidTime {
    /// Start; never after the message for states and events.
    pub from: Option<Timestamp>,
    /// End.
    pub to: Option<Timestamp>,
}

/// A statement to extract.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Class of the candidate.
    pub class: Class,
    /// The meaning of the candidate.
    pub nature: Nature,
    /// The statement, understandable by itself: the speaker replaces the first person where that is safe, else their
    /// name precedes it ("Ana: We adopted a dog."). At most `MAX_EXTRACTED_BYTES`.
    pub content: String,
    /// The person or thing concerned; at most `MAX_SUBJECT_BYTES`.
    pub subject: String,
    /// The surrounding 1-2 sentences with their speakers; at most `MAX_SOURCE_CONTEXT_BYTES`.
    pub source_context: String,
    /// From 1, mundane, to 10, critical.
    pub importance: u8,
    /// How sure it is that the person states this, in [0, 1]: halfway from the probability that it is worth keeping to 1.
    pub confidence: f64,
    /// When the statement holds.
    pub valid: ValidTime,
    /// The period named in the text: when it happened or is planned for.
    pub period: Option<Period>,
    /// Whether it says that something holds no longer.
    pub ends: bool,
    /// Whether it corrects an earlier statement.
    pub corrects: bool,
    /// The wrong value in the words of the text, if the correction names it or it follows from earlier messages.
    pub corrected: Option<String>,
    /// Key of a slot that holds one true statement at a time, such as "ana/home": a newer statement supersedes the
    /// older one.
    pub exclusive: Option<String>,
    /// Whether it is about health, religion or similar topics; only with [`super::Options::sensitive`].
    pub sensitive: bool,
    /// Byte range of the sentence in the message, at character boundaries.
    pub span: Range<usize>,
}

/// Why a part was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Why {
    /// Greetings, thanks and politeness.
    Greeting,
    /// A question or a request.
    Question,
    /// Nothing that is so: it might or would be, or is a story, a game, a dream, a joke.
    Hypothetical,
    /// No longer given: what is not so is kept as such.
    Negated,
    /// Code.
    Code,
    /// Output of a tool or a system, logs and tables.
    ToolNoise,
    /// Contains a key, a password or the number of an account or card.
    Secret,
    /// Health, religion and similar topics, without consent.
    Sensitive,
    /// Words of others, or a quotation.
    Quoted,
    /// Nothing worth keeping.
    Nothing,
    /// A repetition of another candidate, or beyond the limit for one message.
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

/// A part of a message that yielded nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The reason.
    pub why: Why,
    /// Byte range in the message, at character boundaries.
    pub span: Range<usize>,
}

/// The result of extracting from a message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extraction {
    /// Candidates in the order of the message; at most `MAX_EXTRACTED`.
    pub candidates: Vec<Candidate>,
    /// Parts left out, in the order of the message; neighbours with the same reason are joined.
    pub left_out: Vec<LeftOut>,
}
