//! `[consent]`: what becomes of memories whose consent is retracted, unless request or user say otherwise.

use kimberly_core::consent::Retraction;
use serde::{Deserialize, Serialize};

/// Consent per user.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ConsentConfig {
    /// `purge` erases them, `seal` keeps them hidden until a new consent releases them.
    pub on_retraction: Retraction,
}
