//! What the operator allows of attachments.

use std::str::FromStr;

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
