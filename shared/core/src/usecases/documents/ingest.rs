//! Ingests a document: reads its original, cuts the text into passages, and stores both with a record in one transaction.

use std::sync::Arc;

use super::write::{Made, Replaced};
use crate::bounds::{MAX_DOCUMENT_TEXT_BYTES, MAX_TITLE_BYTES};
use crate::boxed;
use crate::compacting::brief;
use crate::documents::{self, DocumentText, MediaType};
use crate::error::{Error, FieldViolation, Result, StorageFailure};
use crate::ids::{AttachmentId, UserId};
use crate::memory::{Detail, DocumentDetail, Memory, MemoryDraft, MemoryReceipt, Source, SourceType};
use crate::usecases::App;
use crate::usecases::create_memories::CreateInput;
use crate::usecases::masking::masks;
use crate::usecases::named::sha256;
use crate::usecases::support::may_store;

/// Bytes at the beginning of a text that the summary in the document's content is made from.
const SUMMARIZED: usize = 16 * 1024;
/// Problem of a text without words.
pub(super) const NOTHING: &str = "contains no text; send a document with words";
/// Most bytes of a title that is taken from the first line of a text.
const FIRST_LINE: usize = 80;

/// The source of a document's text.
#[derive(Clone, Debug)]
pub enum Original {
    /// This text.
    Text(String),
    /// The bytes of an attachment.
    Attachment(AttachmentId),
}

/// A document to ingest.
#[derive(Clone, Debug)]
pub struct IngestInput {
    /// Its text.
    pub original: Original,
    /// Its title; empty to use the one of its text or its file.
    pub title: String,
    /// Its media type; `None` to derive it from the attachment's type or name.
    pub media_type: Option<MediaType>,
    /// The rest of the record; content, kind and detail are made from the text. An active document of the same name gets this text.
    pub draft: MemoryDraft,
    /// Makes the write idempotent; empty for none.
    pub request_id: String,
    /// W3C trace context, passed on to the work that follows.
    pub traceparent: Option<String>,
}

/// Result of ingesting a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Ingested {
    /// Receipt of its record.
    pub receipt: MemoryReceipt,
    /// Number of passages in its text.
    pub passages: u64,
    /// Number of passages that were stored now; 0 for a known text.
    pub stored: u64,
    /// Whether a document already had this text; then nothing was changed.
    pub known: bool,
}

impl App {
    /// Ingests a document. A text is not stored twice if an active document of the namespace has it already, under this
    /// name, or under any name where none is given.
    #[boxed]
    pub async fn ingest_document(&self, user: &UserId, input: IngestInput) -> Result<Ingested> {
        let IngestInput { original, title, media_type, draft, request_id, traceparent } = input;
        let told = match &original {
            Original::Text(text) => sha256(text),
            Original::Attachment(id) => id.to_string(),
        };
        let asked = (told, title.clone(), media_type.map(MediaType::name), draft.clone());
        let key = |operation| self.key(&request_id, operation, &asked);
        let (mut text, mut found) = self.read_original(user, original, media_type, draft.metadata.sensitive).await?;
        let draft = described(draft, &title, (&text, &found.name), found.media_type)?;
        let draft = draft.normalized("memory", self.defaults.draft_limits).map_err(named)?;
        let before = self.document_named(user, &draft).await?;
        let mut draft = before.as_ref().map_or_else(|| Ok(draft.clone()), |before| replacing(&draft, before))?;
        may_store(self.caller.as_deref(), [&draft])?;
        let masked = masks(&draft, &self.defaults) && found.mask(&mut text);
        if masked {
            draft = described(draft, &title, (&text, &found.name), found.media_type)?;
        }
        let made = Made::new(self, user, text.body);
        if let Some(known) = self.known_document(user, &draft, &made, before.as_ref()).await? {
            return Ok(known);
        }
        let attachment = self.store_original(user, found, &draft).await?;
        let passages = made.passages();
        let draft = made_of(draft, attachment, passages);
        let made = Arc::new(made.with_original(attachment));
        if before.is_some() {
            let replaced = Replaced { draft, key: key("document.replace")?, traceparent, made };
            let (receipt, stored) = self.replace_document(user, replaced).await?;
            let receipt = MemoryReceipt { masked: masked || receipt.masked, ..receipt };
            return Ok(Ingested { receipt, passages, stored, known: false });
        }
        let input = CreateInput { drafts: vec![draft], traceparent, ..CreateInput::default() };
        let prepared = self.prepare_memories(input)?;
        let receipts = self.store_memories(user, prepared.with_also(key("document.create")?, made)).await?;
        let receipt = receipts.into_iter().next();
        let receipt = receipt.ok_or_else(|| Error::storage(StorageFailure::Corrupt, "nothing was stored"))?;
        let receipt = MemoryReceipt { masked: masked || receipt.masked, ..receipt };
        Ok(Ingested { receipt, passages, stored: passages, known: false })
    }
}

/// Drafts the record, with its title and a summary as content.
fn described(
    draft: MemoryDraft,
    title: &str,
    (text, file): (&DocumentText, &str),
    media_type: MediaType,
) -> Result<MemoryDraft> {
    let beginning = text.body.get(..text.body.floor_char_boundary(SUMMARIZED)).unwrap_or_default();
    let title = self::title(title, text, file)?;
    let content = format!("{title}\n\n{}", brief(beginning));
    let detail = DocumentDetail {
        title,
        media_type: media_type.name().to_owned(),
        text_bytes: i64::try_from(text.body.len()).unwrap_or(i64::MAX),
        ..DocumentDetail::default()
    };
    let detail = Detail::Document(detail);
    let mut draft = MemoryDraft { content, kind: detail.kind(), detail: Some(detail), ..draft };
    draft.source_type = draft.source_type.or(Some(SourceType::Import));
    if draft.metadata.source == Source::default() {
        draft.metadata.source = Source::Upload;
    }
    Ok(draft)
}

/// Drafts a document's record for a new text. Its sensitivity and consent stay; a request that contradicts them fails.
fn replacing(draft: &MemoryDraft, before: &Memory) -> Result<MemoryDraft> {
    let (metadata, kept) = (&draft.metadata, &before.draft);
    if metadata.sensitive && !kept.metadata.sensitive {
        let problem = "is set, and the document of this name is not sensitive; make it so with UpdateMemory first";
        return Err(Error::conflict("sensitive", problem));
    }
    if draft.consent_id.is_some() && draft.consent_id != kept.consent_id {
        return Err(Error::conflict("consent_id", "is not that of the document with this name; omit it"));
    }
    let mut draft = draft.clone();
    draft.metadata.sensitive = kept.metadata.sensitive;
    draft.consent_id = kept.consent_id;
    Ok(draft)
}

/// Renames a draft's violations to the fields of the request.
fn named(error: Error) -> Error {
    let Error::Invalid(violations) = error else { return error };
    let own = |field: &str| {
        let field = field.strip_prefix("memory.").unwrap_or(field);
        field.strip_prefix("metadata.").unwrap_or(field).to_owned()
    };
    let renamed = |one: FieldViolation| FieldViolation::new(own(&one.field), one.problem);
    Error::Invalid(violations.into_iter().map(renamed).collect())
}

/// Notes in the draft where the original is and how many passages were made from it.
fn made_of(mut draft: MemoryDraft, attachment: AttachmentId, passages: u64) -> MemoryDraft {
    if let Some(Detail::Document(document)) = &mut draft.detail {
        document.attachment = attachment.to_string();
        document.passages = i64::try_from(passages).unwrap_or(i64::MAX);
    }
    draft
}

/// Chooses the title: the given one, or that of the text, the file's name, or the first line.
fn title(said: &str, text: &DocumentText, file: &str) -> Result<String> {
    if said.len() > MAX_TITLE_BYTES {
        let problem = format!("has {} bytes; at most {MAX_TITLE_BYTES} are allowed: shorten it", said.len());
        return Err(Error::invalid("title", problem));
    }
    if said.contains(char::is_control) {
        return Err(Error::invalid("title", "holds a control character; remove it"));
    }
    let first = text.body.trim_start().lines().next().unwrap_or_default();
    let first = first.get(..first.floor_char_boundary(FIRST_LINE)).unwrap_or_default();
    let names = [said, &text.title, file, first].map(clean);
    Ok(names.into_iter().find(|name| !name.is_empty()).unwrap_or_else(|| "document".to_owned()))
}

fn clean(name: &str) -> String {
    let name: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let name = name.trim();
    name.get(..name.floor_char_boundary(MAX_TITLE_BYTES)).unwrap_or_default().trim().to_owned()
}

/// Reads a text that came with a request; fails if it holds no words.
pub(super) fn read(text: &str, media_type: MediaType) -> Result<DocumentText> {
    let read = documents::read(text, media_type);
    if read.body.trim().is_empty() {
        return Err(Error::invalid("text", NOTHING));
    }
    Ok(read)
}

/// Fails if the text of a request is too long.
pub(super) fn check_size(text: &str) -> Result<()> {
    if text.len() > MAX_DOCUMENT_TEXT_BYTES {
        let problem = format!(
            "has {} bytes; at most {MAX_DOCUMENT_TEXT_BYTES} are allowed: upload it as an attachment and name that",
            text.len()
        );
        return Err(Error::invalid("text", problem));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titled(said: &str, own: &str, file: &str, body: &str) -> String {
        title(said, &DocumentText { title: own.to_owned(), body: body.to_owned() }, file).unwrap()
    }

    #[test]
    fn a_title_is_what_was_said_or_the_first_that_is_found() {
        assert_eq!(titled("Said", "Own", "file.md", "First\nSecond"), "Said");
        assert_eq!(titled("", "Own\ntitle", "file.md", "First"), "Own title");
        assert_eq!(titled("", " ", "file.md", "First"), "file.md");
        assert_eq!(titled("", "", "", "\n\nFirst\nSecond"), "First");
        assert_eq!(titled("", "", "", ""), "document");
        assert_eq!(titled("", &"ä".repeat(400), "", "").len(), MAX_TITLE_BYTES);
        assert!(title(&"a".repeat(MAX_TITLE_BYTES), &DocumentText::default(), "").is_ok());
        assert!(title(&"a".repeat(MAX_TITLE_BYTES + 1), &DocumentText::default(), "").is_err());
        assert!(title("a\nb", &DocumentText::default(), "").is_err());
    }

    #[test]
    fn texts_are_held_to_their_bound_and_must_say_something() {
        let text = |bytes| "a".repeat(bytes);
        assert!(
            check_size(&text(MAX_DOCUMENT_TEXT_BYTES)).is_ok()
                && check_size(&text(MAX_DOCUMENT_TEXT_BYTES + 1)).is_err()
        );
        assert!(read(" \n ", MediaType::Plain).is_err() && read("<p> </p>", MediaType::Html).is_err());
    }
}
