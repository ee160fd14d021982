//! The line of an attachment: what it must say so that its bytes can be found and checked.

use serde::de::{Deserialize, Deserializer, Error};

use crate::{MAX_LINE_BYTES, Section};

/// What every line of an attachment says; it may say more.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AttachmentLine {
    /// SHA-256 of its bytes, in hex.
    pub(crate) sha256: String,
    /// How many these are; none where the line does not say.
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

    /// The member that holds its bytes.
    pub(crate) fn member(&self) -> String {
        format!("{}/{}", Section::Attachments, self.sha256)
    }
}

/// A number as the JSON of proto3 has those of 64 bits: as a text; a plain one will do.
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
