//! The stages of recall, one file each, and the table of their order, names and defaults.
//!
//! Stages are pure: they map the query and what was found so far to what is found next.
//! `crate::usecases::query_memories` drives them and does all reading. Their constants are in [`super::weights`].

pub mod adaptive;
pub mod cold;
pub mod cut;
pub mod derived;
pub mod diversify;
pub mod entities;
pub mod expand;
pub mod explain;
mod form;
pub mod fuse;
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
            /// All of them, in order.
            pub const ALL: &[Self] = &[$(Self::$stage),+];

            /// The published name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$stage => $name),+ }
            }

            /// Whether it takes part by default.
            pub const fn switch(self) -> Switch {
                match self { $(Self::$stage => Switch::$switch),+ }
            }

            /// What it does, in a line.
            pub const fn about(self) -> &'static str {
                match self { $(Self::$stage => $about),+ }
            }
        }
    };
}

stages! {
    Rewrite    "rewrite"    On     "A short query that refers to what was said takes names and topics of the active session's last turns."
    Expand     "expand"     Off    "A query about several things is searched part by part, too, and each speaker named counts."
    Alternatives "alternatives" Off "A language model puts the query into other words, at most three times, which are searched, too."
    Typos      "typos"      On     "Query words that no memory holds are corrected as typos."
    Words      "words"      On     "The best by BM25 of the index, less for long texts; off, vectors alone find."
    Phrases    "phrases"    On     "Words side by side in the query, or joined as in E-4711, count once more where they stand so."
    Parts      "parts"      On     "Other words that no memory holds are looked for within words."
    Passages   "passages"   On     "Documents are found by the best passages of their texts."
    Entities   "entities"   Off    "Finds memories that name an entity of the query, or one close to it in the graph."
    Time       "time"       On     "Memories of the time that the query names rank higher, and are found even without its words."
    Vectors    "vectors"    On     "What is near in meaning, where embeddings are on."
    Neighbours "neighbours" On     "Each hit raises the memories around it in its session, the best hit the whole session."
    Roles      "roles"      On     "Raises the speaker that the query names, and the side (person or assistant) whose words it asks for."
    Form       "form"       On     "Questions and texts of a few words count less, standing wishes of the person's more."
    Stale      "stale"      On     "What lost a part of what it was derived from counts less, until it is verified."
    Fuse       "fuse"       Always "Words and vectors are joined, by sum or by ranks."
    Weigh      "weigh"      On     "The memory's own score and its freshness decide between equals."
    Cold       "cold"       On     "What was long unused, and matters little, counts less until it is used again."
    Session    "session"    On     "Matching short-term memories of the active session come first."
    Cut        "cut"        Always "The best are taken, as many as asked for."
    Derived    "derived"    On     "A turn and a record that repeats most of it share one place; a summary yields to its turns."
    Diversify  "diversify"  Off    "Near-duplicates of a better result give their place to the next."
    Adaptive   "adaptive"   Off    "Drops results far weaker than the best, from a sharp fall in strength on."
    Relevance  "relevance"  Always "Says how relevant each is, comparable across queries, and leaves out what is less than asked for."
    Rerank     "rerank"     Off    "A language model puts the best 20 in another order."
    Highlights "highlights" On     "The best passages of long memories."
    Explain    "explain"    Off    "Every stage's part by name."
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
                format!("{name:?} is no stage to switch; those are {}", names.join(", "))
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
