//! Texts of a memory that are sealed if it is sensitive.

use kimberly_core::error::Result;
use kimberly_core::memory::Detail;

use super::field::SealedText;
use crate::rows::{labels, labels_json};

pub(super) const CONTENT: &SealedText = &SealedText {
    name: "content",
    get: |draft| Some(draft.content.clone()),
    set: |draft, text| set(&mut draft.content, Ok(text.unwrap_or_default())),
};
pub(super) const ATTRIBUTES: &SealedText = &SealedText {
    name: "attributes",
    get: |draft| draft.attributes.clone(),
    set: |draft, text| set(&mut draft.attributes, Ok(text)),
};
pub(super) const CHANNELS: &SealedText = &SealedText {
    name: "channels",
    get: |draft| labels_json(&draft.metadata.channels),
    set: |draft, text| set(&mut draft.metadata.channels, labels(text.as_deref())),
};

pub(super) const SUBJECT: &SealedText = &SealedText {
    name: "subject",
    get: |draft| draft.subject.clone(),
    set: |draft, text| set(&mut draft.subject, Ok(text)),
};
pub(super) const DETAIL: &SealedText = &SealedText {
    name: "detail",
    get: |draft| draft.detail.as_ref().map(Detail::to_json),
    set: |draft, text| set(&mut draft.detail, text.as_deref().map(Detail::from_json).transpose()),
};
/// The searchable text besides the content. It is derived from the detail, so it is never read back.
pub(super) const TEXTS: &SealedText =
    &SealedText { name: "texts", get: |draft| draft.detail_texts(), set: |_, _| Ok(()) };
pub(super) const NAME: &SealedText =
    &SealedText { name: "name", get: |draft| draft.name.clone(), set: |draft, text| set(&mut draft.name, Ok(text)) };
pub(super) const SOURCE_REF: &SealedText = &SealedText {
    name: "source_ref",
    get: |draft| draft.source_ref.clone(),
    set: |draft, text| set(&mut draft.source_ref, Ok(text)),
};

/// Stores a value that was read in its field.
pub(super) fn set<T>(target: &mut T, value: Result<T>) -> Result<()> {
    *target = value?;
    Ok(())
}
