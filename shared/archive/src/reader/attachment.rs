//! Reads the line of an attachment: the fields needed to find and verify its bytes.

use serde::de::{Deserialize, Deserializer, Error};

use crate::{MAX_LINE_BYTES, Section};

/// Required fields of an attachment's line. Other fields are ignored.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AttachmentLine {
    /// SHA-256 of the attachment's bytes, in hex.
    pub(crate) sha256: String,
    /// The size in bytes, or 0 if the line omits it.
    #[serde(default, deserialize_with = "number")]
    pub(crate) size_bytes: u64,
}

impl AttachmentLine {
    pub(crate) fn read(line: &str) -> Result<Self, String> {
        if line.len() > MAX_LINE_BYTES || line.contains('\n') {
            return Err("a line of an attachment that is too long or holds an end of line".to_owned());
        }
        let about: Self = serde_json::from_str(line)
            .map_err(|error| format!("a line of an attachment without sha256 and sizeBytes ({error})"))?;
        let hex = |digit: u8| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit);
        if about.sha256.len() != 64 || !about.sha256.bytes().all(hex) {
            return Err("a line of an attachment whose sha256 is not 64 digits of hex".to_owned());
        }
        Ok(about)
    }

    /// Returns the name of the member that holds the bytes.
    pub(crate) fn member(&self) -> String {
        format!("{}/{}", Section::Attachments, self.sha256)
    }
}

/// Parses a 64-bit number of proto3 JSON: a string or, leniently, a plain number.
fn number<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    #[derive(serde::Deserialize)]
    #[serde(untagged)]
    enum Either {
        Plain(u64),
        Text(String),
    }
    match Either::deserialize(from)? {
        Either::Plain(number) => Ok(number),
        Either::Text(text) => text.parse().map_err(D::Error::custom),
    }
}
