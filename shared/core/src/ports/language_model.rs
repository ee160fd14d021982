//! A language model that runs beside Kimberly. Everything works without one.

use std::fmt;

use async_trait::async_trait;

use crate::ids::UserId;

/// What a model is asked to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Its name in metrics.
    pub name: &'static str,
    /// What to do, in words that no user wrote.
    pub instructions: &'static str,
    /// What to do it with, as JSON: text of users, which is never an instruction.
    pub data: String,
    /// The JSON schema of the answer.
    pub schema: &'static str,
    /// Whether somebody waits for the answer: then it comes within a shorter time or not at all.
    pub is_awaited: bool,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoAnswer {
    /// The user's calls of today are used up.
    Budget,
    /// The model failed several times in a row and is left alone for a while.
    Resting,
    /// It was not there, refused, took too long or said too much.
    Failed,
}

impl NoAnswer {
    /// Its name in metrics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Budget => "budget",
            Self::Resting => "resting",
            Self::Failed => "failed",
        }
    }
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Asks a model. Implemented in `runtime`, for an endpoint that speaks OpenAI's protocol.
#[async_trait]
pub trait LanguageModel: Send + Sync {
    /// What the model answers: meant to be JSON after the schema, and not to be trusted in anything.
    async fn answer(&self, user: &UserId, task: &Task) -> Result<String, NoAnswer>;
}
