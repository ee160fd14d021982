//! The kinds of changes, one file each: what a change of this kind does, how it is undone, and how it is explained.
//!
//! To add a kind, add a file here with a type that implements [`Rules`], and a line in [`Kind`] and in [`Kind::rules`].
//! The store knows no kinds: it stores decisions as they are, and offers the operations that [`Rules::apply`] calls.

mod archive;
mod body;
mod carry_out;
mod conclude;
mod contradict;
mod delete;
mod describe;
mod merge;
mod reading;
mod recalibrate;
mod recognize;
mod relate;
mod resolve;
mod spare;
mod tag;
mod temper;
mod weigh;
mod why;
mod withdraw;

use std::sync::Arc;

use async_trait::async_trait;

pub use body::{BYTES, Body, SCORE, STATE, TIER};
pub use carry_out::{carry_out, standing};

pub(super) use conclude::concluding;
pub(super) use contradict::{OTHERS, OURS, Stated, believed};
pub(super) use describe::describing;
pub(super) use merge::REVISIONS;
pub(crate) use reading::{forget, forget_some};
pub(super) use recalibrate::IMPORTANCE;
pub(super) use recognize::NAMES;
pub(super) use relate::TIES;
pub(super) use temper::{DECAY, IDLE, PRIORITY, TEMPERATURE, WHY};
pub(super) use weigh::CLAIMS;
pub(super) use why::{
    AGE, ALLOWED, BEFORE, CAP, GRACE_OVER, HELD, INSTEAD, LIFETIME, LOW_SCORE, MERGED, RETRIEVED, SOME_PROTECTED,
};
pub(crate) use why::{SALIENCE, THRESHOLD};

use super::{Change, Kind};
use crate::entities::Graph;
use crate::error::Result;
use crate::ids::MeditationId;
use crate::memory::Memory;
use crate::ports::{Ids, VaultTransaction};
use crate::settings::ServerDefaults;
use crate::time::Timestamp;

impl Kind {
    /// Returns the rules of this kind.
    pub fn rules(self) -> &'static dyn Rules {
        match self {
            Self::Archive => &archive::Archive,
            Self::Delete => &delete::Delete,
            Self::Spare => &spare::Spare,
            Self::Recognize => &recognize::Recognize,
            Self::Relate => &relate::Relate,
            Self::Recalibrate => &recalibrate::Recalibrate,
            Self::Tag => &tag::Tag,
            Self::Weigh => &weigh::Weigh,
            Self::Contradict => &contradict::Contradict,
            Self::Resolve => &resolve::Resolve,
            Self::Temper => &temper::Temper,
            Self::Merge => &merge::Merge,
            Self::Conclude => &conclude::Conclude,
            Self::Withdraw => &withdraw::Withdraw,
            Self::Describe => &describe::Describe,
        }
    }
}

/// The effect of a change on its subjects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// They stay in place.
    None,
    /// They move to the archive.
    Archives,
    /// They are erased.
    Erases,
}

/// The conditions under which a batch of changes is carried out.
#[derive(Clone, Copy)]
pub struct Applying<'a> {
    /// The time.
    pub at: Timestamp,
    /// The end of the grace window of memories archived now.
    pub delete_after: Timestamp,
    /// The dependencies of creating records. Without them, changes that would create a record do nothing.
    pub making: Option<Making<'a>>,
}

/// The dependencies of a run that creates records.
#[derive(Clone, Copy)]
pub struct Making<'a> {
    /// The run.
    pub run: MeditationId,
    /// Generates ids.
    pub ids: &'a Arc<dyn Ids>,
    /// The operator's configuration.
    pub defaults: &'a ServerDefaults,
    /// The entities that the plan knows, if a step requested them.
    pub graph: Option<&'a Graph>,
}

/// The positions of changes that had no effect.
pub type Refused = Vec<usize>;

/// The rules of one kind of change.
#[async_trait]
pub trait Rules: Send + Sync {
    /// Returns the names of the numbers that its bodies may hold, besides those of [`Body::standing`].
    fn numbers(&self) -> &'static [&'static str];

    /// Returns the effect on the subjects, which later steps see and runs count.
    fn effect(&self) -> Effect {
        Effect::None
    }

    /// Reports whether it decides the fate of a memory. A run does so once per memory, even if several steps would.
    fn settles(&self) -> bool {
        self.effect() != Effect::None
    }

    /// Reports whether it only writes data that can be dropped and rebuilt, independently for each subject. A plan's
    /// token ignores such changes. Subjects for which the change no longer holds are dropped from it, while the others
    /// stay.
    fn is_derived(&self) -> bool {
        false
    }

    /// Returns the action's name in the audit; `None` if the change itself writes no audit entry.
    fn audit(&self) -> Option<&'static str>;

    /// Explains the change in one sentence.
    fn explain(&self, change: &Change) -> String;

    /// Reports whether the change still applies to a subject in its present state, if that differs from when it was
    /// proposed. Grace counts up to `now`, which is never in the future. Whether the subject
    /// [lasts](crate::retention::permits) is checked elsewhere.
    fn holds(&self, change: &Change, memory: &Memory, now: Timestamp) -> bool;

    /// Carries out changes of this kind, all of which still hold. Returns those that had no effect all the same.
    async fn apply(&self, tx: &mut dyn VaultTransaction, changes: &[&Change], when: Applying<'_>) -> Result<Refused>;
}

/// Returns the names of all numbers that a body of this kind may hold.
pub fn numbers_of(kind: Kind) -> impl Iterator<Item = &'static str> {
    [TIER, STATE, BYTES, SCORE].into_iter().chain(kind.rules().numbers().iter().copied())
}
