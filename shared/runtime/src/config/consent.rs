//! `[consent]`: what happens to memories whose consent is withdrawn, unless the request or the user specifies it.

use kimberly_core::consent::Retraction;
use serde::{Deserialize, Serialize};

/// Consent per user.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ConsentConfig {
    /// `purge` erases them; `seal` hides them until consent is given again.
    pub on_retraction: Retraction,
}
