//! Small closed sets that describe a memory. Their names are stored and published: they never change.

use serde::{Deserialize, Serialize};

/// A closed set of values. The order is fixed and positions are stored: add new values at the end.
pub trait ClosedSet: Copy + PartialEq + 'static {
    /// The name of the set, for messages.
    const NAME: &'static str;
    /// Every value, in the fixed order.
    const VALUES: &'static [Self];

    /// The published name. The name in the API contract is derived from it: `long_term` is `TIER_LONG_TERM` there, and
    /// `unset` is `UNSPECIFIED`.
    fn name(self) -> &'static str;
}

macro_rules! names {
    ($type:ident { $($variant:ident => $name:literal),+ $(,)? }) => {
        impl $type {
            /// Every value, in a fixed order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The published name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            /// Returns the value with a published name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$variant),)+ _ => None }
            }
        }

        impl crate::memory::ClosedSet for $type {
            const NAME: &'static str = stringify!($type);
            const VALUES: &'static [Self] = Self::ALL;

            fn name(self) -> &'static str {
                Self::name(self)
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}
pub(crate) use names;

/// The intended lifetime of a memory (K-1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// The context of one session, about a day.
    ShortTerm,
    /// Kept depending on its score.
    #[default]
    LongTerm,
    /// Never deleted by the system.
    Permanent,
}
names!(Tier { ShortTerm => "short_term", LongTerm => "long_term", Permanent => "permanent" });

/// The lifecycle state of a memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryState {
    /// Recalled and counted against its tier.
    #[default]
    Active,
    /// Archived by the system, restorable.
    Archived,
    /// Deleted by its owner, restorable until erased.
    Deleted,
}
names!(MemoryState { Active => "active", Archived => "archived", Deleted => "deleted" });

/// How a memory reached Kimberly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A conversation.
    #[default]
    Chat,
    /// An agent's own initiative.
    Agent,
    /// A bulk import.
    Import,
    /// An uploaded document.
    Upload,
}
names!(Source { Chat => "chat", Agent => "agent", Import => "import", Upload => "upload" });

/// The intended audience of a memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Only its user.
    #[default]
    Private,
    /// Those with whom the backend shares it.
    Shared,
    /// Anyone.
    Public,
}
names!(Scope { Private => "private", Shared => "shared", Public => "public" });

/// The creator of a memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Creator {
    /// Kimberly.
    System,
    /// The user.
    #[default]
    User,
    /// An agent.
    Agent,
}
names!(Creator { System => "system", User => "user", Agent => "agent" });

/// Whether a memory gets vectors (K-6.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EmbedMark {
    /// If the cap allows, the best scored first.
    #[default]
    Auto,
    /// Before all memories without this mark.
    Always,
    /// Not at all.
    Never,
}
names!(EmbedMark { Auto => "auto", Always => "always", Never => "never" });

impl EmbedMark {
    /// Reports whether it is the default, which is omitted in storage so that older drafts serialize unchanged.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
    pub(super) fn is_auto(&self) -> bool {
        *self == Self::Auto
    }
}

/// The user's feedback on a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Feedback {
    /// Useful.
    ThumbsUp,
    /// Not useful.
    ThumbsDown,
    /// 1 (useless) to 5 (very useful).
    Rating(u8),
}

impl Feedback {
    /// Feedback as a number: -1 for thumbs down and rating 1, 0 for rating 3, 1 for thumbs up and rating 5.
    pub fn valence(self) -> f64 {
        match self {
            Self::ThumbsUp => 1.0,
            Self::ThumbsDown => -1.0,
            Self::Rating(stars) => (f64::from(stars.clamp(1, 5)) - 3.0) / 2.0,
        }
    }
}

/// Whether a memory was helpful when used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It helped.
    Helpful,
    /// It did not help.
    NotHelpful,
}
names!(Outcome { Helpful => "helpful", NotHelpful => "not_helpful" });
