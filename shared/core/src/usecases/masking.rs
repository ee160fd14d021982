//! Masks secrets in what callers ask to remember, by the setting that also holds for messages. New memories pass here
//! once, in `create_memories` or `import_memories`, changed ones in `write_back`, the texts of documents in `documents`.
//! Sensitive memories are stored as sent: they are sealed, and a person agreed to them. So are exported records, which
//! a restore must not change, and attachments.

use std::borrow::Cow;

use crate::extraction::mask;
use crate::memory::{Detail, MemoryDraft};
use crate::settings::ServerDefaults;

/// Masks the content and the detail of a draft. Returns whether anything was masked.
pub(super) fn mask_secrets(draft: &mut MemoryDraft, defaults: &ServerDefaults) -> bool {
    if !masks(draft, defaults) {
        return false;
    }
    let content = replace(&mut draft.content);
    let detail = draft.detail.as_ref().and_then(masked_detail);
    let masked = content || detail.is_some();
    draft.detail = detail.or_else(|| draft.detail.take());
    masked
}

/// Masks what a change writes: nothing if its texts stay as they were and as closed as they were.
pub(super) fn mask_changed(before: &MemoryDraft, after: &mut MemoryDraft, defaults: &ServerDefaults) -> bool {
    let is_opened = before.metadata.sensitive && !after.metadata.sensitive;
    let is_written = before.content != after.content || before.detail != after.detail;
    (is_opened || is_written) && mask_secrets(after, defaults)
}

/// Reports whether secrets are masked in a draft.
pub(super) fn masks(draft: &MemoryDraft, defaults: &ServerDefaults) -> bool {
    defaults.extraction.mask_secrets && !draft.metadata.sensitive
}

/// Masks a text. Returns whether anything was masked.
pub(super) fn replace(text: &mut String) -> bool {
    let Cow::Owned(masked) = mask(text) else { return false };
    let changed = masked != *text;
    *text = masked;
    changed
}

/// Returns a detail with masked texts, if any was.
fn masked_detail(detail: &Detail) -> Option<Detail> {
    let mut json = serde_json::from_str(&detail.to_json()).ok()?;
    if in_texts(&mut json) { serde_json::from_value(json).ok() } else { None }
}

fn in_texts(value: &mut serde_json::Value) -> bool {
    use serde_json::Value;
    // Not `any`, which would stop at the first.
    match value {
        Value::String(text) => !is_id(text) && replace(text),
        Value::Array(values) => values.iter_mut().fold(false, |masked, value| in_texts(value) | masked),
        Value::Object(fields) => fields.values_mut().fold(false, |masked, value| in_texts(value) | masked),
        _ => false,
    }
}

/// Reports whether a text is one of our ids, whose digits may look like those of a card.
fn is_id(text: &str) -> bool {
    text.split_once('_').is_some_and(|(kind, id)| {
        kind.bytes().all(|byte| byte.is_ascii_lowercase()) && uuid::Uuid::try_parse(id).is_ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Metadata;
    use crate::settings::ExtractionDefaults;

    const SECRETS: &str = "My password is hunter2 and my card is 4111 1111 1111 1111";

    fn masked(draft: MemoryDraft, mask_secrets: bool) -> (bool, String) {
        let extraction = ExtractionDefaults { mask_secrets, ..ExtractionDefaults::default() };
        let (mut draft, defaults) = (draft, ServerDefaults { extraction, ..ServerDefaults::default() });
        (super::mask_secrets(&mut draft, &defaults), draft.content)
    }

    #[test]
    fn drafts_are_masked_unless_they_are_sensitive_or_secrets_are_kept() {
        let draft = MemoryDraft { content: SECRETS.to_owned(), ..MemoryDraft::default() };
        let (changed, content) = masked(draft.clone(), true);
        assert!(changed && !content.contains("hunter2") && !content.contains("4111"), "{content}");
        assert_eq!(masked(draft.clone(), false), (false, SECRETS.to_owned()));
        let metadata = Metadata { sensitive: true, ..Metadata::default() };
        assert_eq!(masked(MemoryDraft { metadata, ..draft }, true), (false, SECRETS.to_owned()));
        let harmless = MemoryDraft { content: "I live in Ghent".to_owned(), ..MemoryDraft::default() };
        assert_eq!(masked(harmless, true), (false, "I live in Ghent".to_owned()));
    }

    #[test]
    fn ids_are_kept_although_their_digits_look_like_a_card() {
        let id = "att_01a36277-95bf-77cd-8466-284032680225";
        assert!(replace(&mut id.to_owned()), "this id looks like no card");
        let mut json = serde_json::json!({"attachment": id});
        assert!(!in_texts(&mut json) && json["attachment"] == id, "{json}");
    }

    #[test]
    fn every_text_of_a_detail_is_masked() {
        let mut json = serde_json::json!({"a": [SECRETS, 7, {"b": SECRETS}], "c": "tea"});
        assert!(in_texts(&mut json));
        assert!(!json.to_string().contains("hunter2") && json["c"] == "tea", "{json}");
    }
}
