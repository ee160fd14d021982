//! A caller's description of an attachment, before its bytes arrive.

use crate::bounds::MAX_ATTACHMENT_NAME_BYTES;
use crate::error::{Error, FieldViolation, Result};

use super::media_type::media_type_problem;
use super::{AttachmentLimits, BlobFacts};

/// The media type used if none is stated.
const UNKNOWN: &str = "application/octet-stream";

/// A caller's description of an attachment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttachmentDraft {
    /// Its name: up to [`MAX_ATTACHMENT_NAME_BYTES`], no control characters; may be empty.
    pub name: String,
    /// Its media type; empty for `application/octet-stream`.
    pub media_type: String,
    /// The expected SHA-256, if stated.
    pub sha256: Option<[u8; 32]>,
    /// The expected number of bytes, if stated.
    pub size_bytes: Option<u64>,
}

impl AttachmentDraft {
    /// Checks the bounds and returns the draft with its type in lower case.
    pub fn normalized(mut self, limits: &AttachmentLimits) -> Result<Self> {
        let mut violations = Vec::new();
        if let Some(problem) = name_problem(&self.name) {
            violations.push(FieldViolation::new("start.name", problem));
        }
        self.media_type = match self.media_type.trim() {
            "" => UNKNOWN.to_owned(),
            given => given.to_ascii_lowercase(),
        };
        if let Some(problem) = media_type_problem(&self.media_type) {
            violations.push(FieldViolation::new("start.media_type", problem));
        }
        if !violations.is_empty() {
            return Err(Error::Invalid(violations));
        }
        limits.check_type(&self.media_type)?;
        limits.check_size("start.size_bytes", self.size_bytes.unwrap_or_default())?;
        Ok(self)
    }

    /// Refuses bytes that differ from the announced size or hash.
    pub fn check(&self, came: &BlobFacts) -> Result<()> {
        if let Some(announced) = self.size_bytes.filter(|announced| *announced != came.size_bytes) {
            let problem =
                format!("is {announced}, but {} bytes arrived; nothing was stored, upload it again", came.size_bytes);
            return Err(Error::invalid("start.size_bytes", problem));
        }
        if self.sha256.is_some_and(|announced| announced != came.sha256) {
            let problem = "is not the hash of the received bytes; nothing was stored, upload it again";
            return Err(Error::invalid("start.sha256", problem));
        }
        Ok(())
    }
}

fn name_problem(name: &str) -> Option<String> {
    if name.len() > MAX_ATTACHMENT_NAME_BYTES {
        return Some(format!("has {} bytes; at most {MAX_ATTACHMENT_NAME_BYTES} are allowed", name.len()));
    }
    name.chars().any(char::is_control).then(|| "contains a control character; use printable characters only".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normalized(name: &str, media_type: &str) -> Result<AttachmentDraft> {
        let draft = AttachmentDraft { name: name.to_owned(), media_type: media_type.to_owned(), ..Default::default() };
        draft.normalized(&AttachmentLimits::default())
    }

    #[test]
    fn names_and_types_are_held_to_their_bounds() {
        assert_eq!(normalized("", "").unwrap().media_type, UNKNOWN);
        assert_eq!(normalized("ü.png", " Image/PNG ").unwrap().media_type, "image/png");
        assert!(normalized(&"x".repeat(255), &format!("a/{}", "b".repeat(125))).is_ok());
        assert!(
            normalized(&"x".repeat(256), "").is_err() && normalized("", &format!("a/{}", "b".repeat(126))).is_err()
        );
        for wrong in ["image", "image/", "/png", "image/png; charset=x", "image/*", "im age/png"] {
            assert!(normalized("", wrong).is_err(), "{wrong:?} is taken");
        }
        assert!(normalized("a\nb", "").is_err());
    }

    #[test]
    fn what_came_must_be_what_was_announced() {
        let came = BlobFacts { sha256: [1; 32], size_bytes: 3, stored_bytes: 9 };
        let draft = |sha256, size_bytes| AttachmentDraft { sha256, size_bytes, ..Default::default() };
        assert!(draft(None, None).check(&came).is_ok() && draft(Some([1; 32]), Some(3)).check(&came).is_ok());
        let told = draft(Some([2; 32]), Some(3)).check(&came).unwrap_err().to_string();
        assert!(told.contains("start.sha256"), "{told}");
        let told = draft(None, Some(4)).check(&came).unwrap_err().to_string();
        assert!(told.contains("is 4, but 3 bytes arrived"), "{told}");
    }
}
