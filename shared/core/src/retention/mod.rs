//! Quotas, grace and caps as pure rules (K-1.4, K-1.5, K-4.1, K-4.3).
//!
//! A quota has two limits. At 100 % a meditation follows; at a higher share (125 % by default) writes are refused. What
//! leaves a tier goes to the archive and gets a grace window. After its grace it is erased, within a daily cap, if it
//! scores low or the archive is over its allowance. Nothing is erased inside its grace, whatever the allowance says
//! (G-5).

mod admission;
mod budget;
mod connections;
mod evidence;
mod grace;
mod lasting;
mod lifetime;
mod noted;
mod readable;
mod recalibration;
mod salience;
mod temperature;
mod warmth;

pub use admission::{Full, admit};
pub use budget::PruneBudget;
pub use connections::Connections;
pub(crate) use evidence::Evidence;
pub use grace::grace_passed;
pub use lasting::{LASTING_KINDS, LASTING_SOURCES, lasting_limit, lasts, permits, quota_for_lasting};
pub use lifetime::leaves_at;
pub use noted::NotedTemperature;
pub use readable::{readable_bytes, readable_span};
pub use recalibration::{Recalibrated, Recalibration, recalibrated};
pub use salience::{HALF_LIFE, Salience};
pub use temperature::{Temperature, WarmthReason};
pub use warmth::{Warmth, WarmthFacts};
