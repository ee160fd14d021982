//! An optional language model that runs beside Kimberly. Everything works without one.

use std::fmt;

use async_trait::async_trait;

use crate::ids::UserId;

/// A task for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Name in metrics.
    pub name: &'static str,
    /// The instructions, which contain no user's text.
    pub instructions: &'static str,
    /// The input as JSON: users' text, never to be followed as instructions.
    pub data: String,
    /// The JSON schema of the answer.
    pub schema: &'static str,
    /// Whether a caller waits for the answer: then a shorter timeout applies.
    pub is_awaited: bool,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoAnswer {
    /// The user's daily budget of calls is spent.
    Budget,
    /// The model failed several times in a row and is not called for a while.
    Resting,
    /// The model was unreachable, refused, timed out or answered at too great length.
    Failed,
}

impl NoAnswer {
    /// Name in metrics.
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

/// A language model. Implemented in `runtime` for endpoints with OpenAI's protocol.
#[async_trait]
pub trait LanguageModel: Send + Sync {
    /// Returns the model's answer: supposed to be JSON in the schema, but not to be trusted in any way.
    async fn answer(&self, user: &UserId, task: &Task) -> Result<String, NoAnswer>;
}
