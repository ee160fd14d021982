//! The operator's limits on attachments.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::MediaPattern;
use crate::error::{Error, Result};
use crate::time::Span;

/// Limits on attachments, and how long unreferenced ones are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttachmentLimits {
    /// Most bytes of one attachment; 32 MiB by default.
    pub max_bytes: u64,
    /// Most bytes of all attachments of a user, equal contents counted once; 1 GiB by default.
    pub allowance_bytes: u64,
    /// Accepted media types: a type must match one of these patterns.
    pub types: Vec<MediaPattern>,
    /// How long an attachment that was never attached to a memory is stored; a day by default.
    pub unreferenced_for: Span,
    /// How long an upload may take; an hour by default.
    pub upload_within: Span,
}

impl Default for AttachmentLimits {
    fn default() -> Self {
        Self {
            max_bytes: 32 << 20,
            allowance_bytes: 1 << 30,
            types: vec![MediaPattern::any()],
            unreferenced_for: Span::days(1),
            upload_within: Span::hours(1),
        }
    }
}

impl AttachmentLimits {
    /// Refuses media types that match no pattern.
    pub fn check_type(&self, media_type: &str) -> Result<()> {
        if self.types.iter().any(|pattern| pattern.admits(media_type)) {
            return Ok(());
        }
        let allowed = self.types.iter().map(MediaPattern::as_str).collect::<Vec<_>>().join(", ");
        Err(Error::invalid("start.media_type", format!("is {media_type}; this server accepts {allowed}")))
    }

    /// Refuses sizes above the limit for one attachment.
    pub fn check_size(&self, field: &str, bytes: u64) -> Result<()> {
        if bytes <= self.max_bytes {
            return Ok(());
        }
        let most = self.max_bytes;
        Err(Error::invalid(field, format!("is {bytes} bytes or more; at most {most} are allowed in an attachment")))
    }
}

/// An S3 store and the credentials for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct S3Location {
    /// The store's URL, such as `https://s3.example.com`, with buckets as paths below it; empty for none.
    pub endpoint: String,
    /// The bucket, which must exist.
    pub bucket: String,
    /// The region used to sign requests.
    pub region: String,
    /// The prefix of all object names; may be empty.
    pub prefix: String,
    /// The id of the access key.
    pub access_key_id: String,
    /// The file that holds the key's secret.
    pub secret_file: PathBuf,
    /// A file with the certificate authorities to trust; if unset, the public ones that browsers trust.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ca_file: Option<PathBuf>,
}

impl Default for S3Location {
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
