//! The line of an attachment: what it must say so that its bytes can be found and checked.

use serde::Deserialize;

use crate::{MAX_LINE_BYTES, Section};

/// What every line of an attachment says; it may say more.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct AttachmentLine {
    /// SHA-256 of its bytes, in hex.
    pub(crate) sha256: String,
    /// How many these are.
    pub(crate) size_bytes: u64,
}

impl AttachmentLine {
    pub(crate) fn read(line: &str) -> Result<Self, String> {
        if line.len() > MAX_LINE_BYTES || line.contains('\n') {
            return Err("a line of an attachment that is too long or holds an end of line".to_owned());
        }
        let about: Self = serde_json::from_str(line)
            .map_err(|error| format!("a line of an attachment without sha256 and size_bytes ({error})"))?;
        let hex = |digit: u8| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit);
        if about.sha256.len() != 64 || !about.sha256.bytes().all(hex) {
            return Err("a line of an attachment whose sha256 is not 64 digits of hex".to_owned());
        }
        Ok(about)
    }

    /// The member that holds its bytes.
    pub(crate) fn member(&self) -> String {
        format!("{}/{}", Section::Attachments, self.sha256)
    }
}
