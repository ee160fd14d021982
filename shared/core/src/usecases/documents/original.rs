//! The original of a document: reads it, or stores it as an attachment.

use super::ingest::{NOTHING, Original, check_size, read};
use crate::attachments::{Attachment, AttachmentDraft};
use crate::bounds::MAX_DOCUMENT_BYTES;
use crate::documents::{self, DocumentText, MediaType};
use crate::error::{Error, Result};
use crate::ids::{AttachmentId, UserId};
use crate::memory::MemoryDraft;
use crate::usecases::App;
use crate::usecases::attachments::UploadInput;
use crate::usecases::masking::replace;

/// Bytes written to an attachment at a time.
const PIECE: usize = 256 * 1024;

/// An original that was read.
pub(super) struct Found {
    /// Its media type.
    pub(super) media_type: MediaType,
    /// Name of its file; empty for none.
    pub(super) name: String,
    /// The attachment with it, or the text to store.
    stored: Result<AttachmentId, String>,
}

impl Found {
    /// Masks the secrets in a text that was read, and in the original that came with the request. If the original's
    /// markup divides a secret, the text alone replaces it. Uploaded bytes stay. Returns whether there were secrets.
    pub(super) fn mask(&mut self, text: &mut DocumentText) -> bool {
        let Err(original) = &mut self.stored else { return replace(&mut text.title) | replace(&mut text.body) };
        let masked = replace(original);
        if masked {
            *text = documents::read(original, self.media_type);
        }
        let divided = replace(&mut text.title) | replace(&mut text.body);
        if divided {
            original.clone_from(&text.body);
            self.media_type = MediaType::Plain;
        }
        masked || divided
    }
}

impl App {
    /// Reads an original that the caller sees.
    pub(super) async fn read_original(
        &self,
        user: &UserId,
        original: Original,
        said: Option<MediaType>,
        sensitive: bool,
    ) -> Result<(DocumentText, Found)> {
        match original {
            Original::Text(text) => {
                check_size(&text)?;
                let media_type = said.unwrap_or_default();
                let read = read(&text, media_type)?;
                Ok((read, Found { media_type, name: String::new(), stored: Err(text) }))
            }
            Original::Attachment(id) => {
                let attachment = self.get_attachment(user, id).await?;
                let name = attachment.name.clone();
                if !sensitive && self.is_of_sensitive(user, &attachment).await? {
                    let problem = "belongs to a sensitive memory; set sensitive here too";
                    return Err(Error::conflict("attachment_id", problem));
                }
                let media_type = said
                    .or_else(|| MediaType::from_name(&attachment.media_type).filter(|kind| *kind != MediaType::Plain))
                    .or_else(|| MediaType::of_name(&name))
                    .or_else(|| MediaType::from_name(&attachment.media_type));
                let media_type = media_type.ok_or_else(|| {
                    let problem = format!(
                        "is {}, from which no text can be read; set media_type to text/plain, text/markdown or text/html \
                         if it is one",
                        attachment.media_type
                    );
                    Error::conflict("attachment_id", problem)
                })?;
                let text = self.text_of(user, &attachment).await?;
                let read = read(&text, media_type).map_err(|_| Error::conflict("attachment_id", NOTHING))?;
                Ok((read, Found { media_type, name, stored: Ok(id) }))
            }
        }
    }

    /// Reports whether one of the attachment's memories is sensitive.
    async fn is_of_sensitive(&self, user: &UserId, attachment: &Attachment) -> Result<bool> {
        let ids = attachment.memories.clone();
        let facts = self.vaults.read(user, move |reader| {
            let ids = ids.clone();
            Box::pin(async move { reader.row_facts(&ids).await })
        });
        Ok(facts.await?.iter().flatten().any(|memory| memory.sensitive))
    }

    /// Returns the text of an attachment; fails if it is too large or not UTF-8.
    pub(super) async fn text_of(&self, user: &UserId, attachment: &Attachment) -> Result<String> {
        let bytes = attachment.facts.size_bytes;
        if bytes > MAX_DOCUMENT_BYTES as u64 {
            let problem =
                format!("has {bytes} bytes; documents have at most {MAX_DOCUMENT_BYTES}: split it into several");
            return Err(Error::conflict("attachment_id", problem));
        }
        let mut download = self.download(user, attachment.id, 0).await?;
        let mut bytes = Vec::new();
        while let Some(piece) = download.next().await? {
            bytes.extend(piece);
        }
        String::from_utf8(bytes).map_err(|broken| {
            let at = broken.utf8_error().valid_up_to();
            Error::conflict("attachment_id", format!("is not UTF-8 from byte {at}; convert it to UTF-8"))
        })
    }

    /// Returns the attachment that holds the original; uploads the text of a request as one.
    pub(super) async fn store_original(
        &self,
        user: &UserId,
        found: Found,
        draft: &MemoryDraft,
    ) -> Result<AttachmentId> {
        let text = match found.stored {
            Ok(id) => return Ok(id),
            Err(text) => text,
        };
        let name = draft.name.as_deref().and_then(|name| name.rsplit('/').next()).unwrap_or_default();
        let attachment = AttachmentDraft {
            name: name.get(..name.floor_char_boundary(255)).unwrap_or_default().to_owned(),
            media_type: found.media_type.name().to_owned(),
            size_bytes: Some(text.len() as u64),
            ..AttachmentDraft::default()
        };
        let sensitive = draft.metadata.sensitive;
        let mut upload = self.begin_upload(user, UploadInput { draft: attachment, memory: None, sensitive }).await?;
        for piece in text.as_bytes().chunks(PIECE) {
            if let Err(failed) = upload.write(piece).await {
                upload.abandon().await;
                return Err(failed);
            }
        }
        upload.finish().await.map(|attachment| attachment.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_secret_stays_in_an_original_that_is_stored_even_if_markup_divides_it() {
        let stored = |original: &str, media_type| {
            let mut found = Found { media_type, name: String::new(), stored: Err(original.to_owned()) };
            let mut text = documents::read(original, media_type);
            let masked = found.mask(&mut text);
            (masked, found.stored.unwrap_err(), found.media_type, text.body)
        };
        let (masked, original, media_type, body) = stored("<p>my password is hunter2 today</p>", MediaType::Html);
        assert!(masked && original.starts_with("<p>my password is [masked]"), "{original}");
        assert!(media_type == MediaType::Html && body.contains("password is [masked]"), "{body}");
        let divided = "<p>my <b>password</b><i> is</i> hun<b>ter</b>2</p>";
        let (masked, original, media_type, body) = stored(divided, MediaType::Html);
        assert!(masked && !original.contains("ter") && body == original, "{original}");
        assert_eq!(documents::read(&original, media_type).body, body, "what is read again is the same");
        let (masked, original, _, _) = stored("I live in Ghent", MediaType::Plain);
        assert_eq!((masked, original.as_str()), (false, "I live in Ghent"));
    }
}
