//! The kinds of changes, one file each: what a change of this kind does, how it is taken back, and what it says.
//!
//! To add one: a file here with a type that implements [`Rules`], and its line in [`Kind`] and [`Kind::rules`]. The store
//! knows no kinds: it keeps decisions as they are, and offers the operations that [`Rules::apply`] calls.

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
pub(super) use merge::{MERGED, REVISIONS};
pub(crate) use reading::{forget, forget_all};
pub(super) use recalibrate::IMPORTANCE;
pub(super) use recognize::NAMES;
pub(super) use relate::TIES;
pub(super) use temper::{DECAY, IDLE, PRIORITY, TEMPERATURE, WHY};
pub(super) use weigh::CLAIMS;
pub(super) use why::{
    AGE, ALLOWED, BEFORE, CAP, GRACE_OVER, HELD, INSTEAD, LIFETIME, LOW_SCORE, RETRIEVED, SOME_PROTECTED,
};
pub(crate) use why::{SALIENCE, THRESHOLD};

use super::Change;
use crate::entities::Graph;
use crate::error::Result;
use crate::ids::MeditationId;
use crate::memory::{Memory, names};
use crate::ports::{Ids, VaultTransaction};
use crate::settings::ServerDefaults;
use crate::time::Timestamp;

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Move to the archive.
    Archive,
    /// Erase.
    Delete,
    /// Leave, although it was up for archiving or erasing.
    Spare,
    /// Note whom and what its text names.
    Recognize,
    /// Note what its text says that entities are to each other.
    Relate,
    /// Move its importance.
    Recalibrate,
    /// Give it tags.
    Tag,
    /// Note what it claims something about.
    Weigh,
    /// Note that it contradicts another; a person says which holds.
    Contradict,
    /// Have it hold in the place of another that it contradicts.
    Resolve,
    /// Note how warm it is.
    Temper,
    /// Have one record take its place and that of others that say the same.
    Merge,
    /// Keep what follows from several.
    Conclude,
    /// End what followed from something that holds no longer.
    Withdraw,
    /// Write what several tell of somebody or something as its profile.
    Describe,
}
names!(Kind {
    Archive => "archive",
    Delete => "delete",
    Spare => "spare",
    Recognize => "recognize",
    Relate => "relate",
    Recalibrate => "recalibrate",
    Tag => "tag",
    Weigh => "weigh",
    Contradict => "contradict",
    Resolve => "resolve",
    Temper => "temper",
    Merge => "merge",
    Conclude => "conclude",
    Withdraw => "withdraw",
    Describe => "describe",
});

impl Kind {
    /// What it does and says.
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

/// What becomes of the subjects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// They stay what they are.
    None,
    /// They move to the archive.
    Archives,
    /// They are gone.
    Erases,
}

/// When a batch of changes is carried out.
#[derive(Clone, Copy)]
pub struct Applying<'a> {
    /// The time.
    pub at: Timestamp,
    /// The end of the grace window of what is put aside now.
    pub delete_after: Timestamp,
    /// What records are made with; of none, changes that would make one do nothing.
    pub making: Option<Making<'a>>,
}

/// What a run makes records with.
#[derive(Clone, Copy)]
pub struct Making<'a> {
    /// The run.
    pub run: MeditationId,
    /// New ids.
    pub ids: &'a Arc<dyn Ids>,
    /// What the operator configured.
    pub defaults: &'a ServerDefaults,
    /// Whom and what the plan knows, if it asked for that.
    pub graph: Option<&'a Graph>,
}

/// The places of changes that came to nothing.
pub type Refused = Vec<usize>;

/// How a kind of change is carried out.
#[async_trait]
pub trait Rules: Send + Sync {
    /// The names of the numbers that its bodies may hold, beside those of [`Body::standing`].
    fn numbers(&self) -> &'static [&'static str];

    /// What becomes of the subjects, so that the steps behind see it and runs count it.
    fn effect(&self) -> Effect {
        Effect::None
    }

    /// Whether it settles what becomes of a memory: a run does so once, whichever steps would.
    fn settles(&self) -> bool {
        self.effect() != Effect::None
    }

    /// Whether it only writes what can be dropped and rebuilt, of each subject by itself. A plan's token leaves it out, and subjects
    /// for which it no longer holds are left out of a change while the others stay.
    fn is_derived(&self) -> bool {
        false
    }

    /// The name of what was done in the audit; `None` if nothing is done.
    fn audit(&self) -> Option<&'static str>;

    /// The change in a sentence.
    fn explain(&self, change: &Change) -> String;

    /// Whether it may still be done to a subject as it is now, other than when it was proposed. Grace is counted up to
    /// `now`, which is not later than the present. That what [lasts](crate::retention::permits) is left alone is not for kinds
    /// to say.
    fn holds(&self, change: &Change, memory: &Memory, now: Timestamp) -> bool;

    /// Carries changes of this kind out, of which each still holds. Returns those that came to nothing all the same.
    async fn apply(&self, tx: &mut dyn VaultTransaction, changes: &[&Change], when: Applying<'_>) -> Result<Refused>;
}

/// The names of all numbers that a body of this kind may hold.
pub fn numbers_of(kind: Kind) -> impl Iterator<Item = &'static str> {
    [TIER, STATE, BYTES, SCORE].into_iter().chain(kind.rules().numbers().iter().copied())
}
