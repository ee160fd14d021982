//! Labels of entities and relations, from `labels/*.jsonl`.

use std::ops::Range;
use std::path::Path;

use kimberly_core::entities::EntityType;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::Result;

/// The labelled relations.
pub(super) const RELATIONS: [&str; 8] =
    ["works_with", "works_at", "lives_in", "family", "owns", "part_of", "authored_by", "located_in"];

/// The labelled names of a message.
#[derive(Deserialize)]
pub(super) struct Labelled {
    pub(super) half: String,
    pub(super) set: String,
    pub(super) conversation: String,
    pub(super) message: usize,
    pub(super) mentions: Vec<Mention>,
}

#[derive(Deserialize)]
pub(super) struct Mention {
    pub(super) start: usize,
    pub(super) end: usize,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    also: Vec<String>,
    pub(super) entity: String,
    #[serde(default)]
    pub(super) optional: bool,
    #[serde(default)]
    pub(super) unsure: bool,
}

/// The labelled relations of a message.
#[derive(Deserialize)]
pub(super) struct Related {
    pub(super) half: String,
    pub(super) set: String,
    pub(super) conversation: String,
    pub(super) message: usize,
    pub(super) relations: Vec<Relation>,
}

#[derive(Deserialize)]
pub(super) struct Relation {
    #[serde(rename = "type")]
    pub(super) class: String,
    pub(super) subject: String,
    pub(super) object: String,
    #[serde(default)]
    pub(super) optional: bool,
}

impl Labelled {
    /// The entities whose labelled names overlap these bytes.
    pub(super) fn entities_at(&self, span: Range<usize>) -> Vec<String> {
        let touches = |one: &&Mention| one.start < span.end && span.start < one.end;
        self.mentions.iter().filter(touches).map(|one| one.entity.clone()).collect()
    }
}

impl Mention {
    /// The domain's name of its type.
    pub(super) fn class(&self) -> String {
        domain(&self.kind)
    }

    /// Whether a type is right. A label `other`, such as of an animal, accepts every type.
    pub(super) fn may_be(&self, kind: EntityType) -> bool {
        self.kind == "other" || [&self.kind].into_iter().chain(&self.also).any(|name| domain(name) == kind.name())
    }
}

impl Relation {
    /// Whether one of its sides is unnamed.
    pub(super) fn is_unnamed(&self) -> bool {
        [&self.subject, &self.object].iter().any(|side| side.starts_with("unnamed"))
    }
}

fn domain(name: &str) -> String {
    if name == "organisation" { "organization".to_owned() } else { name.to_owned() }
}

/// Reads the labels of a file.
pub(in crate::benches) fn labels<T: DeserializeOwned>(name: &str) -> Result<Vec<T>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("labels").join(format!("{name}.jsonl"));
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(text.lines().map(serde_json::from_str).collect::<std::result::Result<_, _>>()?)
}
