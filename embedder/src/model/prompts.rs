//! Prefixes that some models need, different for queries and documents.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::ModelError;
use super::files::Files;

pub(super) const FILE: &str = "config_sentence_transformers.json";
/// Maximum length of a prefix in bytes.
const MAX_BYTES: usize = 1_024;

/// The purpose of an embedding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// The text is a search query.
    Query,
    /// The text is a document to be found.
    Document,
}

/// Configured prefixes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prefixes {
    /// The prefix of queries; `None` uses the model's own.
    pub query: Option<String>,
    /// The prefix of documents; `None` uses the model's own.
    pub document: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct Raw {
    #[serde(default)]
    prompts: BTreeMap<String, Option<String>>,
    #[serde(default)]
    default_prompt_name: Option<String>,
}

/// The prefixes of a model.
#[derive(Debug)]
pub(super) struct Prompts {
    query: String,
    document: String,
}

impl Prompts {
    pub(super) fn read(files: &Files, by_hand: &Prefixes) -> Result<Self, ModelError> {
        let raw: Raw = files.optional_json(FILE)?.unwrap_or_default();
        let named = |name: &str| raw.prompts.get(name).cloned().flatten();
        let any = |names: &[&str]| names.iter().find_map(|name| named(name)).filter(|text| !text.is_empty());
        let default = || raw.default_prompt_name.as_deref().and_then(named);
        let query = by_hand.query.clone().or_else(|| any(&["query"])).or_else(default).unwrap_or_default();
        let document = by_hand.document.clone().or_else(|| any(&["document", "passage", "corpus"]));
        let document = document.or_else(default).unwrap_or_default();
        let longest = query.len().max(document.len());
        if longest > MAX_BYTES {
            let problem = format!("has a prompt of {longest} bytes; at most {MAX_BYTES} are allowed");
            return Err(ModelError::refused(FILE, problem));
        }
        Ok(Self { query, document })
    }

    pub(super) fn of(&self, purpose: Purpose) -> &str {
        match purpose {
            Purpose::Query => &self.query,
            Purpose::Document => &self.document,
        }
    }
}
