//! The commands, one file each: arguments, the call, the answer.

pub(crate) mod audit;
pub(crate) mod completion;
pub(crate) mod doctor;
pub(crate) mod edit;
pub(crate) mod embed;
pub(crate) mod export;
pub(crate) mod feedback;
pub(crate) mod forget;
pub(crate) mod goals;
pub(crate) mod import;
pub(crate) mod keys;
pub(crate) mod list;
pub(crate) mod meditate;
pub(crate) mod meditations;
pub(crate) mod metrics;
pub(crate) mod model;
pub(crate) mod outcome;
pub(crate) mod rebuild;
pub(crate) mod recall;
pub(crate) mod remember;
pub(crate) mod restore;
pub(crate) mod session;
pub(crate) mod settings;
pub(crate) mod show;
pub(crate) mod up;
pub(crate) mod watch;
