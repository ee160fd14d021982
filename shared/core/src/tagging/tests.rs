//! Tests of the tags from rules and keywords together.

use uuid::Uuid;

use super::{BY_RULES, File, MOST, add, keywords, rules};
use crate::ids::{MemoryId, Seq};
use crate::memory::{Memory, MemoryDraft, Source};
use crate::time::Timestamp;

fn memory(change: impl FnOnce(&mut MemoryDraft)) -> Memory {
    let mut draft = MemoryDraft { content: "Budget analysis of the harbour".to_owned(), ..MemoryDraft::default() };
    change(&mut draft);
    Memory::new(MemoryId(Uuid::from_u128(1)), Seq(1), draft, Timestamp(0))
}

fn by_rules(memory: &Memory, files: &[File]) -> Vec<String> {
    let mut tags = Vec::new();
    rules::tags(memory, files).for_each(|tag| add(&mut tags, tag, BY_RULES));
    tags
}

fn file(name: &str, media_type: &str) -> File {
    File { name: name.to_owned(), media_type: media_type.to_owned() }
}

#[test]
fn rules_say_how_a_record_came_and_what_it_is() {
    assert_eq!(by_rules(&memory(|_| {}), &[]), ["chat"]);
    let uploaded = memory(|draft| {
        draft.metadata.source = Source::Upload;
        draft.source_ref = Some("https://docs.google.com/document/d/1".to_owned());
        draft.name = Some("notes/Budget.md".to_owned());
    });
    assert_eq!(by_rules(&uploaded, &[]), ["upload", "google-drive", "md"]);
    let pdf = file("Q4_Harbour.pdf", "application/pdf");
    assert_eq!(
        by_rules(&memory(|draft| draft.metadata.source = Source::Agent), std::slice::from_ref(&pdf)),
        ["agent", "pdf"]
    );
    assert_eq!(by_rules(&uploaded, &[pdf]).len(), BY_RULES, "keywords keep their room");
}

#[test]
fn names_of_files_give_keywords_before_words_of_the_text() {
    let memory = memory(|_| {});
    let found = keywords::candidates(&memory, &[file("Quarterly_report.pdf", "application/pdf")]);
    let words: Vec<&str> = found.iter().map(|one| one.word.as_str()).collect();
    assert_eq!(words, ["quarterly", "report", "budget", "analysis", "harbour"]);
}

#[test]
fn no_record_has_more_tags_than_allowed_and_none_twice() {
    let mut tags = Vec::new();
    for tag in ["a", "b", "a", "c", "d", "e", "f", "g"] {
        add(&mut tags, tag.to_owned(), MOST);
    }
    assert_eq!(tags, ["a", "b", "c", "d", "e", "f"]);
}
