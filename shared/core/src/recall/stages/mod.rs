//! The stages of recall, one file each, and the table of their order, names and defaults.
//!
//! Stages are pure: they map the query and what was found so far to what is found next.
//! `crate::usecases::query_memories` drives them and does all reading. Their constants are in [`super::weights`].

pub mod adaptive;
pub mod cold;
pub mod cut;
pub mod derived;
pub mod diversify;
pub mod ended;
pub mod entities;
pub mod expand;
pub mod explain;
mod form;
mod fuse;
pub mod fusion;
pub mod highlights;
pub mod neighbours;
pub mod parts;
pub mod passages;
pub mod phrases;
pub mod relevance;
pub mod rewrite;
pub mod roles;
pub mod session;
mod stale;
pub mod time;
pub mod typos;
pub mod vectors;
pub mod weigh;
pub mod words;

/// When a stage takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// In every recall: there is no answer without it.
    Always,
    /// Unless it is turned off.
    On,
    /// Only if it is turned on.
    Off,
}

/// Declares the stages in order, each by variant, name, switch and one line on what it does.
macro_rules! stages {
    ($($stage:ident $name:literal $switch:ident $about:literal)+) => {
        /// A stage of recall.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Stage { $(#[doc = $about] $stage),+ }

        impl Stage {
            /// All stages, in order.
            pub const ALL: &[Self] = &[$(Self::$stage),+];

            /// The published name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$stage => $name),+ }
            }

            /// When it takes part.
            pub const fn switch(self) -> Switch {
                match self { $(Self::$stage => Switch::$switch),+ }
            }

            /// Describes what it does, in one line.
            pub const fn about(self) -> &'static str {
                match self { $(Self::$stage => $about),+ }
            }
        }
    };
}

stages! {
    Rewrite    "rewrite"    On     "Adds names and topics of the active session's last turns to a short query that refers to them."
    Expand     "expand"     Off    "Also searches each part of a query about several things, and counts every speaker that it names."
    Alternatives "alternatives" Off "Also searches at most three rewordings of the query by a language model."
    Typos      "typos"      On     "Corrects query words that no memory contains."
    Words      "words"      On     "Finds the best memories by BM25 and lowers long texts; without it, vectors alone find memories."
    Phrases    "phrases"    On     "Raises memories in which adjacent words of the query, or chunks such as E-4711, stand side by side."
    Parts      "parts"      On     "Searches the other words that no memory contains as parts of words."
    Passages   "passages"   On     "Finds documents by their best passages."
    Entities   "entities"   Off    "Finds memories that name an entity of the query, or a near one in the graph."
    Time       "time"       On     "Raises memories of the time that the query names, and finds them even without its words."
    Vectors    "vectors"    On     "Finds memories near in meaning, if embeddings are on."
    Neighbours "neighbours" On     "Raises the memories around each hit in its session, and the whole session of the best hit."
    Roles      "roles"      On     "Raises the speaker that the query names, and the side (person or assistant) whose words it asks for."
    Form       "form"       On     "Lowers questions and texts of a few words, and raises the person's standing wishes."
    Stale      "stale"      On     "Lowers memories that lost part of their sources, until they are verified."
    Fuse       "fuse"       Always "Joins the rankings by words and by vectors, by sum or by ranks."
    Weigh      "weigh"      On     "Adds the memory's own score and its freshness, which decide between about equal matches."
    Cold       "cold"       On     "Lowers memories that were unused for long and have low scores, until they are used again."
    Ended      "ended"      On     "Lets a turn that ended give way to the record that holds instead, unless the query asks about the past."
    Session    "session"    On     "Puts matching short-term memories of the active session first."
    Cut        "cut"        Always "Selects the best results, up to the requested number."
    Derived    "derived"    On     "Drops a turn or a record that repeats a better result, and a summary of turns that are results."
    Diversify  "diversify"  Off    "Drops near-duplicates of a better result, so that the next results move up."
    Adaptive   "adaptive"   Off    "Drops results far weaker than the best, from where strength falls sharply."
    Relevance  "relevance"  Always "Estimates each result's relevance, comparable across queries, and drops results below the requested minimum."
    Rerank     "rerank"     Off    "Lets a cross-encoder or a language model reorder the best 20."
    Highlights "highlights" On     "Selects the best passages of long memories."
    Explain    "explain"    Off    "Lists the contribution of each stage to each result."
}

/// The set of stages that take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stages(u32);

impl Stage {
    const fn bit(self) -> u32 {
        1 << self as u32
    }
}

impl Stages {
    /// Reports whether a stage takes part.
    pub const fn on(self, stage: Stage) -> bool {
        self.0 & stage.bit() != 0
    }

    /// Returns the set with one stage switched. A stage that always takes part stays on.
    #[must_use]
    pub const fn with(self, stage: Stage, on: bool) -> Self {
        if on || matches!(stage.switch(), Switch::Always) {
            Self(self.0 | stage.bit())
        } else {
            Self(self.0 & !stage.bit())
        }
    }

    /// Returns the set with the named stages switched. The error says which name is not allowed, and which ones are.
    pub fn switched<'n>(self, by_name: impl IntoIterator<Item = (&'n String, &'n bool)>) -> Result<Self, String> {
        by_name.into_iter().try_fold(self, |stages, (name, on)| {
            let can = || Stage::ALL.iter().copied().filter(|stage| stage.switch() != Switch::Always);
            let stage = can().find(|stage| stage.name() == name).ok_or_else(|| {
                let names: Vec<&str> = can().map(Stage::name).collect();
                format!("{name:?} is not a stage that can be switched; those are {}", names.join(", "))
            })?;
            Ok(stages.with(stage, *on))
        })
    }
}

impl Default for Stages {
    fn default() -> Self {
        let on = |stage: &&Stage| stage.switch() != Switch::Off;
        Self(Stage::ALL.iter().filter(on).fold(0, |bits, stage| bits | stage.bit()))
    }
}
