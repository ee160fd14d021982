//! `[attachments]`: what users may attach to memories, and how long what hangs on none is kept.

use kimberly_core::attachments::{AttachmentLimits, MediaPattern, S3Place};
use kimberly_core::bounds::ABSOLUTE_MAX_ATTACHMENT_BYTES;
use serde::{Deserialize, Serialize};

use super::{Bytes, Period, Problems};

/// Attachments per user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AttachmentsConfig {
    /// Largest attachment; 1 byte to 4 GiB.
    pub max_size: Bytes,
    /// What all attachments of a user may hold, equal ones counted once; 1 KiB to 1 TiB.
    pub allowance: Bytes,
    /// Media types that are taken, such as "image/png", "image/*" or "*/*".
    pub types: Vec<String>,
    /// How long an attachment is kept that never hung on a memory; 1 s to 30 d.
    pub unreferenced: Period,
    /// How long an upload may take, and what is left of one that was cut is kept; 1 s to 1 d.
    pub upload_within: Period,
    /// Where bytes are kept instead of in the data folder.
    pub s3: S3Place,
}

impl Default for AttachmentsConfig {
    fn default() -> Self {
        Self {
            max_size: Bytes(32 << 20),
            allowance: Bytes(1 << 30),
            types: vec!["*/*".to_owned()],
            unreferenced: Period::days(1),
            upload_within: Period::seconds(3_600),
            s3: S3Place::default(),
        }
    }
}

impl AttachmentsConfig {
    pub(super) fn check(&self, problems: &mut Problems) {
        problems.range("attachments.max_size", self.max_size, Bytes(1)..=Bytes(ABSOLUTE_MAX_ATTACHMENT_BYTES));
        problems.range("attachments.allowance", self.allowance, Bytes(1 << 10)..=Bytes(1 << 40));
        problems.range("attachments.unreferenced", self.unreferenced, Period::seconds(1)..=Period::days(30));
        problems.range("attachments.upload_within", self.upload_within, Period::seconds(1)..=Period::days(1));
        self.check_s3(problems);
        if self.types.is_empty() {
            problems.add("attachments.types is empty; name at least one, such as */*");
        }
        for raw in &self.types {
            if let Err(problem) = raw.parse::<MediaPattern>() {
                problems.add(format!("attachments.types: {problem}"));
            }
        }
    }

    fn check_s3(&self, problems: &mut Problems) {
        let s3 = &self.s3;
        if s3.endpoint.is_empty() {
            return;
        }
        if !s3.endpoint.starts_with("https://") && !s3.endpoint.starts_with("http://") {
            problems.add("attachments.s3.endpoint is no URL; write one such as https://s3.example.com");
        }
        let unset = [
            ("bucket", s3.bucket.is_empty()),
            ("region", s3.region.is_empty()),
            ("access_key_id", s3.access_key_id.is_empty()),
            ("secret_file", s3.secret_file.as_os_str().is_empty()),
        ];
        for (name, _) in unset.into_iter().filter(|(_, unset)| *unset) {
            problems.add(format!("attachments.s3.{name} is empty; attachments.s3.endpoint needs it"));
        }
    }

    /// As the domain has it; patterns that are none were refused before.
    pub(super) fn limits(&self) -> AttachmentLimits {
        AttachmentLimits {
            max_bytes: self.max_size.0,
            allowance_bytes: self.allowance.0,
            types: self.types.iter().filter_map(|raw| raw.parse().ok()).collect(),
            unreferenced_for: self.unreferenced.span(),
            upload_within: self.upload_within.span(),
        }
    }
}
