//! Embedding settings: the operator's configuration and a user's effective values.

use std::fmt;

use super::effective::Settle;
use super::{Effective, Origin, UserSettings};
use crate::bounds::{EMBEDDING_LIMIT, VECTOR_CAP};
use crate::embedding::{EmbeddingLimits, OverCap, Window};

/// The operator's configuration of embeddings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbeddingDefaults {
    /// Whether there is a model; embeddings are off without one.
    pub on: bool,
    /// Most vectors of a user; 200 by default.
    pub vector_cap: (u64, Origin),
    /// The treatment of users above the cap; by default the best memories have vectors.
    pub over_cap: OverCap,
    /// Vectors computed for a user per day, 0 for no limit; 500 by default.
    pub daily_limit: (u64, Origin),
    /// Vectors computed for a user per week, 0 for no limit; 2,000 by default.
    pub weekly_limit: (u64, Origin),
    /// When vectors are computed; 01:00-05:00 UTC by default.
    pub window: (Window, Origin),
    /// Vectors computed for all users per day, 0 for no limit, which is the default.
    pub system_daily_budget: u64,
}

impl Default for EmbeddingDefaults {
    fn default() -> Self {
        let built_in = Origin::Default;
        Self {
            on: false,
            vector_cap: (200, built_in),
            over_cap: OverCap::Best,
            daily_limit: (500, built_in),
            weekly_limit: (2_000, built_in),
            window: (Window::default(), built_in),
            system_daily_budget: 0,
        }
    }
}

/// A user's effective embedding settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EffectiveEmbedding {
    /// Whether memories are embedded. Always off while the server has no model.
    pub enabled: Effective<bool>,
    /// Most vectors.
    pub vector_cap: Effective<u64>,
    /// Vectors computed per day, 0 for no limit.
    pub daily_limit: Effective<u64>,
    /// Vectors computed per week, 0 for no limit.
    pub weekly_limit: Effective<u64>,
    /// When vectors are computed.
    pub window: Effective<Window>,
    server_on: bool,
    over_cap: OverCap,
    system_daily_budget: u64,
}

impl EffectiveEmbedding {
    pub(super) fn resolve(user: &UserSettings, server: &EmbeddingDefaults, settle: &mut Settle<'_>) -> Self {
        let enabled = match user.embedding_enabled {
            Some(value) if server.on => Effective { value, origin: Origin::User },
            _ => Effective { value: server.on, origin: Origin::Config },
        };
        let mut vectors = |name: &str, user: Option<u64>, allowed, (value, origin): (u64, Origin)| {
            let held = settle.pick(name, user.map(Vectors), &allowed, (Vectors(value), origin));
            Effective { value: held.value.0, origin: held.origin }
        };
        let cap = Vectors(*VECTOR_CAP.start())..=Vectors(*VECTOR_CAP.end());
        let limit = Vectors(*EMBEDDING_LIMIT.start())..=Vectors(*EMBEDDING_LIMIT.end());
        Self {
            enabled,
            vector_cap: vectors("vector_cap", user.vector_cap, cap, server.vector_cap),
            daily_limit: vectors(
                "daily_embedding_limit",
                user.daily_embedding_limit,
                limit.clone(),
                server.daily_limit,
            ),
            weekly_limit: vectors("weekly_embedding_limit", user.weekly_embedding_limit, limit, server.weekly_limit),
            window: Effective { value: server.window.0, origin: server.window.1 },
            server_on: server.on,
            over_cap: server.over_cap,
            system_daily_budget: server.system_daily_budget,
        }
    }

    /// Returns the limits in the form that the policy takes.
    pub const fn limits(&self) -> EmbeddingLimits {
        EmbeddingLimits {
            server_on: self.server_on,
            user_on: self.enabled.value,
            vector_cap: self.vector_cap.value,
            over_cap: self.over_cap,
            daily: self.daily_limit.value,
            weekly: self.weekly_limit.value,
            system_daily: self.system_daily_budget,
            window: self.window.value,
        }
    }
}

/// A number of vectors, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Vectors(pub(super) u64);

impl fmt::Display for Vectors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} vectors", self.0)
    }
}
