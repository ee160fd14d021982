//! `[attachments]`: what users may attach to memories, and how long unattached files are stored.

use kimberly_core::attachments::{AttachmentLimits, MediaPattern, S3Location};
use kimberly_core::bounds::ABSOLUTE_MAX_ATTACHMENT_BYTES;
use serde::{Deserialize, Serialize};

use super::{Bytes, Period, Problems, loopback};

/// Attachments per user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AttachmentsConfig {
    /// Maximum size of an attachment; 1 byte to 4 GiB.
    pub max_size: Bytes,
    /// Maximum total size of a user's attachments, identical ones counted once; 1 KiB to 1 TiB.
    pub allowance: Bytes,
    /// Accepted media types, such as "image/png", "image/*" or "*/*".
    pub types: Vec<String>,
    /// How long an attachment that was never attached to a memory is stored; 1 s to 30 d.
    pub unreferenced: Period,
    /// Maximum duration of an upload, after which an unfinished one is removed; 1 s to 1 d.
    pub upload_within: Period,
    /// The object store for attachment bytes, instead of the data folder.
    pub s3: S3Location,
}

impl Default for AttachmentsConfig {
    fn default() -> Self {
        Self {
            max_size: Bytes(32 << 20),
            allowance: Bytes(1 << 30),
            types: vec!["*/*".to_owned()],
            unreferenced: Period::days(1),
            upload_within: Period::seconds(3_600),
            s3: S3Location::default(),
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
            problems.add("attachments.s3.endpoint is not a URL; write one such as https://s3.example.com");
        }
        if s3.endpoint.strip_prefix("http://").is_some_and(|rest| !is_this_machine(rest)) {
            problems.add(format!(
                "attachments.s3.endpoint is {}, which is reached without TLS; use https://, or http:// with a loopback address",
                s3.endpoint
            ));
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

    /// The limits for the domain. `check` has refused invalid patterns before.
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

/// Whether the host is this machine; `rest` is a URL without its scheme.
fn is_this_machine(rest: &str) -> bool {
    let authority = rest.split('/').next().unwrap_or_default();
    let host = match authority.strip_prefix('[') {
        Some(six) => six.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    loopback::is_this_machine(host) && !authority.contains('@')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_store_elsewhere_is_reached_over_tls_alone() {
        let said = |endpoint: &str| {
            let s3 = S3Location {
                endpoint: endpoint.to_owned(),
                bucket: "kimberly".to_owned(),
                access_key_id: "id".to_owned(),
                secret_file: "/secret".into(),
                ..S3Location::default()
            };
            let mut problems = Problems::default();
            AttachmentsConfig { s3, ..AttachmentsConfig::default() }.check(&mut problems);
            problems.into_result().map_err(|problems| problems.to_string())
        };
        for fine in ["https://s3.example.com", "http://127.0.0.1:9000", "http://localhost:9000/", "http://[::1]:9000"] {
            assert_eq!(said(fine), Ok(()), "{fine}");
        }
        for elsewhere in ["http://10.0.0.5:9000", "http://minio", "http://[fd00::1]", "http://127.0.0.1:1@example.com/"]
        {
            let refused = said(elsewhere).unwrap_err();
            assert!(refused.contains("without TLS") && refused.contains("use https://"), "{refused}");
        }
        assert!(said("s3.example.com").unwrap_err().contains("is not a URL"));
    }
}
