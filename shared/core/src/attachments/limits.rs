//! What the operator allows of attachments.

use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::draft::media_type_problem;
use crate::error::{Error, Result};
use crate::time::Span;

/// What attachments may be, and how long what nobody refers to is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttachmentLimits {
    /// Most bytes of one; 32 MiB.
    pub max_bytes: u64,
    /// Most bytes of all that a user keeps, equal ones counted once; 1 GiB.
    pub allowance_bytes: u64,
    /// Types that are taken: those that one of these lets through.
    pub types: Vec<MediaPattern>,
    /// How long an attachment is kept that never hung on a memory; a day.
    pub unreferenced_for: Span,
    /// How long an upload may take; an hour.
    pub upload_within: Span,
}

impl Default for AttachmentLimits {
    fn default() -> Self {
        Self {
            max_bytes: 32 << 20,
            allowance_bytes: 1 << 30,
            types: vec![MediaPattern("*/*".to_owned())],
            unreferenced_for: Span::days(1),
            upload_within: Span::hours(1),
        }
    }
}

impl AttachmentLimits {
    /// Refuses types that no pattern lets through.
    pub fn check_type(&self, media_type: &str) -> Result<()> {
        if self.types.iter().any(|pattern| pattern.admits(media_type)) {
            return Ok(());
        }
        let allowed = self.types.iter().map(|pattern| pattern.0.as_str()).collect::<Vec<_>>().join(", ");
        Err(Error::invalid("start.media_type", format!("is {media_type}; this server takes {allowed}")))
    }

    /// Refuses more bytes than one attachment may have.
    pub fn check_size(&self, field: &str, bytes: u64) -> Result<()> {
        if bytes <= self.max_bytes {
            return Ok(());
        }
        let most = self.max_bytes;
        Err(Error::invalid(field, format!("is {bytes} bytes or more; at most {most} are allowed in an attachment")))
    }
}

/// A store that speaks S3, and who may reach it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct S3Place {
    /// The store's URL, such as `https://s3.example.com`, below which buckets are paths; empty for none.
    pub endpoint: String,
    /// The bucket, which is there.
    pub bucket: String,
    /// The region that requests are signed for.
    pub region: String,
    /// What stands in front of all names; may be empty.
    pub prefix: String,
    /// The id of the key.
    pub access_key_id: String,
    /// The file that holds the key's secret.
    pub secret_file: PathBuf,
    /// A file of the authorities that vouch for the store; unset, those that browsers trust do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ca_file: Option<PathBuf>,
}

impl Default for S3Place {
    fn default() -> Self {
        Self {
            endpoint: String::new(),
            bucket: String::new(),
            region: "us-east-1".to_owned(),
            prefix: String::new(),
            access_key_id: String::new(),
            secret_file: PathBuf::new(),
            ca_file: None,
        }
    }
}

/// Types by a pattern: `image/png`, `image/*` or `*/*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaPattern(String);

impl MediaPattern {
    /// Whether a type is one of these.
    pub fn admits(&self, media_type: &str) -> bool {
        match self.0.strip_suffix('*') {
            Some("*/") => true,
            Some(kind) => media_type.starts_with(kind),
            None => media_type == self.0,
        }
    }

    /// The pattern.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for MediaPattern {
    type Err = String;

    fn from_str(raw: &str) -> Result<Self, String> {
        let pattern = raw.trim().to_ascii_lowercase();
        let concrete = match pattern.split_once('/') {
            Some(("*", "*")) => "any/any".to_owned(),
            Some((kind, "*")) => format!("{kind}/any"),
            _ => pattern.clone(),
        };
        match media_type_problem(&concrete) {
            None if !concrete.contains('*') => Ok(Self(pattern)),
            _ => Err(format!("{raw:?} is no pattern of types; write image/png, image/* or */*")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_let_types_through_as_they_are_written() {
        let admits = |pattern: &str, kind| pattern.parse::<MediaPattern>().unwrap().admits(kind);
        assert!(admits("*/*", "image/png") && admits("image/*", "image/png") && admits("Image/PNG", "image/png"));
        assert!(
            !admits("image/*", "imagery/png") && !admits("image/png", "image/pngx") && !admits("text/*", "image/png")
        );
        for wrong in ["", "*", "image", "*/png", "image/p*", "image/*/x", "/", "a/", "*"] {
            assert!(wrong.parse::<MediaPattern>().is_err(), "{wrong:?} is taken");
        }
    }
}
