//! Tests of foreign formats: what is read from them, and the errors.

use super::*;
use crate::envelope::OpeningArgs;

fn file(name: &str, text: &[u8]) -> (tempfile::TempDir, Source) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    let source = Source::open(&path, &OpeningArgs::default()).unwrap();
    (folder, source)
}

/// Content, speaker and session of each memory, and the number of skipped pieces.
fn taken(name: &str, text: &str) -> (Format, Vec<(String, String, String)>, u64) {
    let (_folder, source) = file(name, text.as_bytes());
    let format = if name == "notes.md" { Format::Markdown } else { detect(&source).unwrap() };
    let load = survey(&source, format, "ann").unwrap();
    let memories = load.items.from(0).map(|memory| match memory.unwrap() {
        v1::import_item::Memory::Draft(draft) => (draft.content, draft.speaker, draft.session_id),
        v1::import_item::Memory::Record(_) => unreachable!(),
    });
    let memories = memories.collect::<Vec<_>>();
    assert_eq!(memories.len() as u64, load.memories);
    (format, memories, load.left_out)
}

fn contents(name: &str, text: &str) -> (Format, Vec<String>) {
    let (format, memories, _) = taken(name, text);
    (format, memories.into_iter().map(|(content, ..)| content).collect())
}

const CONVERSATIONS: &str = r#"[{"title": "Trains", "conversation_id": "c-1", "create_time": 1700000000.5,
  "current_node": "d", "mapping": {
    "root": {"id": "root", "message": null, "parent": null, "children": ["s"]},
    "s": {"id": "s", "parent": "root", "children": ["a"], "message": {"author": {"role": "system"}, "create_time": null,
      "content": {"content_type": "text", "parts": [""]}}},
    "a": {"id": "a", "parent": "s", "children": ["b", "c"], "message": {"author": {"role": "user"},
      "create_time": 1700000001.25, "content": {"content_type": "multimodal_text",
      "parts": [{"content_type": "image_asset_pointer"}, "When does the \"train\" leave? {[}"]}}},
    "b": {"id": "b", "parent": "a", "children": [], "message": {"author": {"role": "assistant"}, "create_time": 1700000002,
      "content": {"content_type": "text", "parts": ["Never."]}}},
    "c": {"id": "c", "parent": "a", "children": ["d"], "message": {"author": {"role": "tool"}, "create_time": 1700000003,
      "content": {"content_type": "code", "text": "x"}}},
    "d": {"id": "d", "parent": "c", "children": [], "message": {"author": {"role": "assistant"}, "create_time": 1700000004,
      "content": {"content_type": "text", "parts": ["At 9:40."]}}}}}
]"#;

#[test]
fn conversations_of_chatgpt_become_what_they_show() {
    let (format, memories, left_out) = taken("conversations.json", CONVERSATIONS);
    let said = |content: &str, speaker: &str| (content.to_owned(), speaker.to_owned(), "c-1".to_owned());
    assert_eq!(format, Format::Chatgpt);
    assert_eq!(memories, [said("When does the \"train\" leave? {[}", "user"), said("At 9:40.", "assistant")]);
    assert_eq!(left_out, 3, "the instruction, the tool and the other branch");
    let (_folder, source) = file("c.json", CONVERSATIONS.as_bytes());
    let load = survey(&source, Format::Chatgpt, "ann").unwrap();
    let Some(Ok(v1::import_item::Memory::Draft(second))) = load.items.from(1).next() else { panic!("no second") };
    assert_eq!(second.occurred_at.unwrap().seconds, 1_700_000_004);
    assert_eq!(structs(&second), serde_json::json!({"conversation": "Trains"}));
}

fn structs(draft: &v1::MemoryDraft) -> Value {
    crate::json::of_free(draft.attributes.as_ref().unwrap())
}

#[test]
fn messages_are_taken_as_a_list_on_lines_and_in_conversations() {
    let list = r#"[{"role": "system", "content": "Be kind."}, {"role": "user", "content": "I like tea."},
                   {"role": "assistant", "content": [{"type": "text", "text": "Noted."}]}]"#;
    let lines = list.replace("}, ", "}\n").replace("},\n", "}\n");
    let lines = lines.trim_matches(['[', ']']);
    let nested = format!("{{\"messages\": {list}}}\n{{\"messages\": {list}}}\n");
    let (format, memories, left_out) = taken("chat.json", list);
    assert_eq!((format, memories.len(), left_out), (Format::Messages, 2, 1));
    assert_eq!((memories[0].0.as_str(), memories[1].0.as_str()), ("I like tea.", "Noted."));
    assert!(memories[0].2 == memories[1].2 && !memories[0].2.is_empty(), "one conversation");
    assert_eq!(contents("chat.jsonl", lines), (Format::Messages, vec!["I like tea.".to_owned(), "Noted.".to_owned()]));
    let (_, memories, left_out) = taken("chats.jsonl", &nested);
    assert_eq!((memories.len(), left_out), (4, 2));
    assert_ne!(memories[0].2, memories[2].2, "two conversations");
}

#[test]
fn texts_are_taken_as_a_list_and_on_lines() {
    let expected = |format| (format, vec!["I like tea.".to_owned(), "I run.".to_owned()]);
    assert_eq!(contents("t.json", r#"["I like tea.", "", "I run."]"#), expected(Format::Texts));
    assert_eq!(contents("t.jsonl", "\"I like tea.\"\n\"I run.\"\n"), expected(Format::Texts));
    assert_eq!(
        contents("-", "{\"text\":\"I like tea.\",\"tier\":\"permanent\"}\n\"I run.\"\n"),
        expected(Format::Texts)
    );
    assert_eq!(
        contents("memory.jsonl", "{\"type\":\"relation\",\"from\":\"Ann\",\"to\":\"Ben\",\"relationType\":\"knows\"}"),
        (Format::Graph, vec!["Ann\n→ Ann knows [[Ben]]".to_owned()])
    );
    let (_folder, source) = file("k.jsonl", b"{\"content\":\"I like tea.\"}");
    assert_eq!(detect(&source).unwrap(), Format::Kimberly, "lines of an export");
}

#[test]
fn markdown_becomes_a_memory_for_each_paragraph_and_item_below_its_heading() {
    let text = "---\ntitle: x\n---\nPlain\ntext.\n\n# Home\n\n## Food ##\n- I like tea.\n  - green\n- [x] I bake.\n1. First\n\n\
                ```\n# no heading\n\ncode\n```\n# Work\n***\nI row.";
    let expected = [
        "Plain\ntext.",
        "Food: I like tea.\n  - green",
        "Food: [x] I bake.",
        "Food: First",
        "Food: ```\n# no heading\n\ncode\n```",
        "Work: I row.",
    ];
    assert_eq!(contents("notes.md", text).1, expected);
}

#[test]
fn unreadable_input_is_named_with_its_position() {
    for (name, text, wrong) in [
        ("x.json", &b""[..], "the file is empty"),
        ("x.json", b"\x89PNG\r\n\x1a\n", "does not begin with JSON"),
        ("x.json", b"dear diary", "does not begin with JSON"),
        ("x.json", b"[{\"name\": \"Ann\", \"age\": 3}]", "an object with \"age, name\""),
        ("x.json", b"[1, 2]", "a value of another kind"),
        ("x.json", b"[{\"mapping\": {}}, 7]", "value 2 of the file: not a conversation"),
        ("x.json", b"[{\"role\": \"pope\", \"content\": \"x\"}]", "value 1 of the file: there is no role \"pope\""),
        ("x.json", b"[{\"role\": \"user\", \"content\": \"x\"}", "value 2 of the file: the file ends before its list"),
        ("x.jsonl", b"\"x\"\n{\"tex\": 1}\n7", "value 3 of the file: neither a text"),
        ("x.md", b"# Only\n", "contains no text"),
        ("x.md", b"\xff\xfe", "not UTF-8"),
    ] {
        let (_folder, source) = file(name, text);
        let format = if name == "x.md" { Ok(Format::Markdown) } else { detect(&source) };
        let said = format.and_then(|format| survey(&source, format, "ann")).unwrap_err();
        assert!(said.message().contains(wrong), "{}: {}", String::from_utf8_lossy(text), said.message());
    }
    let circle = r#"[{"current_node": "a", "mapping": {"a": {"parent": "b"}, "b": {"parent": "a"}}}]"#;
    let (_folder, source) = file("c.json", circle.as_bytes());
    assert!(survey(&source, Format::Chatgpt, "ann").unwrap_err().message().contains("cycle"));
}
