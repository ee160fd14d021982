//! The key of a model. Vectors with different keys are never compared.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::{Error, FieldViolation, Result};

/// Longest id of a model, in bytes.
const MAX_ID_BYTES: usize = 64;
/// Characters of a version: 64 bits of a SHA-256 in lower-case hexadecimal.
const VERSION_CHARS: usize = 16;
/// Most dimensions of a vector.
pub(super) const MAX_DIMENSION: u32 = 4_096;

/// A model, its version and the dimension of its vectors.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ModelKey {
    id: String,
    version: String,
    dimension: u32,
}

impl ModelKey {
    /// Builds a key. `id` is 1-64 of `a-z 0-9 . _ -` and begins with a letter or digit ([`Self::slugged`] derives one
    /// from any name), `version` is 16 hexadecimal digits in lower case, `dimension` 1-4,096. The error names the
    /// field `model`.
    pub fn new(id: &str, version: &str, dimension: u32) -> Result<Self> {
        let problem = if !is_id(id) {
            format!(
                "has the id {id:?}; 1-{MAX_ID_BYTES} of a-z, 0-9, '.', '_' and '-' are allowed, a letter or digit first"
            )
        } else if version.len() != VERSION_CHARS || !version.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
            format!("has the version {version:?}; {VERSION_CHARS} hexadecimal digits in lower case are allowed")
        } else if dimension == 0 || dimension > MAX_DIMENSION {
            format!("has {dimension} dimensions; 1 to {MAX_DIMENSION} are allowed")
        } else {
            return Ok(Self { id: id.to_owned(), version: version.to_owned(), dimension });
        };
        Err(Error::Invalid(vec![FieldViolation::new("model", problem)]))
    }

    /// Derives an id from a folder or a hub's name such as `sentence-transformers/all-MiniLM-L6-v2`: its last part in
    /// lower case, with other characters replaced by `-`; `model` if nothing is left.
    pub fn slugged(name: &str) -> String {
        let last = name.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_lowercase();
        let allowed = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') { c } else { '-' };
        let id: String = last.chars().map(allowed).take(MAX_ID_BYTES).collect();
        let id = id.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
        if id.is_empty() { "model".to_owned() } else { id.to_owned() }
    }

    /// Parses the output of [`Self::slug`], with the dimension that belongs to it.
    pub fn parse(slug: &str, dimension: u32) -> Result<Self> {
        let (id, version) = slug.rsplit_once('-').unwrap_or((slug, ""));
        Self::new(id, version, dimension)
    }

    /// Reports whether a slug belongs to the same model files, whatever their folder is called.
    pub fn is_slugged(&self, slug: &str) -> bool {
        slug.rsplit_once('-').is_some_and(|(id, version)| is_id(id) && version == self.version)
    }

    /// The model's id, safe as a folder name.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The version: the first 64 bits of a hash over the model's files.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Number of components in each of its vectors.
    pub const fn dimension(&self) -> u32 {
        self.dimension
    }

    /// Id and version: a safe folder name that differs for models whose vectors must not be compared.
    pub fn slug(&self) -> String {
        format!("{}-{}", self.id, self.version)
    }
}

impl fmt::Display for ModelKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.id, self.version)
    }
}

fn is_id(id: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'_' | b'-');
    id.len() <= MAX_ID_BYTES && id.bytes().all(allowed) && id.bytes().next().is_some_and(|b| b.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    const VERSION: &str = "0123456789abcdef";

    #[test]
    fn a_slug_reads_back_as_the_key_that_wrote_it() {
        for id in ["all-minilm-l6-v2", "a", "e5.small_v2", &"x".repeat(MAX_ID_BYTES)] {
            let key = ModelKey::new(id, VERSION, 384).unwrap();
            assert_eq!(ModelKey::parse(&key.slug(), 384).unwrap(), key);
            assert_eq!(key.to_string(), key.slug());
        }
    }

    #[test]
    fn what_is_no_safe_folder_name_is_refused() {
        let long = "x".repeat(MAX_ID_BYTES + 1);
        for id in ["", ".", "..", "-a", "a/b", "A", "a b", "ä", &long] {
            assert!(ModelKey::new(id, VERSION, 384).is_err(), "{id}");
        }
        for version in ["", "0123456789abcde", "0123456789abcdef0", "0123456789ABCDEF", "0123456789abcdeg"] {
            assert!(ModelKey::new("a", version, 384).is_err(), "{version}");
        }
        assert!(ModelKey::parse("no.version", 384).is_err());
        assert!(ModelKey::new("a", VERSION, 0).is_err() && ModelKey::new("a", VERSION, MAX_DIMENSION + 1).is_err());
        assert!(ModelKey::new("a", VERSION, 1).is_ok() && ModelKey::new("a", VERSION, MAX_DIMENSION).is_ok());
    }

    #[test]
    fn files_tell_models_apart_and_folders_do_not() {
        let key = ModelKey::new("all-minilm", VERSION, 384).unwrap();
        for same in [&key.slug(), "model-0123456789abcdef"] {
            assert!(key.is_slugged(same), "{same}");
        }
        for other in ["all-minilm-0123456789abcdee", "0123456789abcdef", "-0123456789abcdef", "all-minilm", ""] {
            assert!(!key.is_slugged(other), "{other}");
        }
    }

    #[test]
    fn any_name_gives_a_valid_id() {
        for (name, id) in [
            ("sentence-transformers/all-MiniLM-L6-v2", "all-minilm-l6-v2"),
            ("/models/bge small/", "bge-small"),
            ("../..", "model"),
            ("", "model"),
            ("Ärmel", "rmel"),
        ] {
            assert_eq!(ModelKey::slugged(name), id, "{name}");
            assert!(ModelKey::new(&ModelKey::slugged(name), VERSION, 8).is_ok());
        }
        assert!(is_id(&ModelKey::slugged(&"Y".repeat(500))));
    }
}
