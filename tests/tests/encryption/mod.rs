//! Encryption at rest through the real processes: the content of files, the sources of keys, and refusals.
#![expect(clippy::expect_used, reason = "a helper that fails should stop its test")]

mod refusals;
mod secrets;
mod sources;
mod turning_on;

use std::path::{Path, PathBuf};

use kimberly_proto::v1::detail::Kind;
use kimberly_proto::v1::{DecisionDetail, Detail, MemoryDraft, MemoryFilter, Metadata};
use kimberly_tests::drafts::tagged;
use kimberly_tests::{System, User};

/// Words that occur nowhere else, in lower case. Their stems would be in the full-text index.
const WORDS: [&str; 8] =
    ["xylothumb", "quibblezorp", "speakerzilla", "tagglewump", "goalmuffin", "askablorb", "choicemuffin", "subjectoid"];

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder can be listed") {
        let path = entry.expect("a folder can be listed").path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

/// The words found in files below a folder. A file that vanishes meanwhile has none.
fn words_in(folder: &Path, words: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for path in files(folder) {
        let bytes = std::fs::read(&path).unwrap_or_default().to_ascii_lowercase();
        let holds = |word: &&&str| bytes.windows(word.len()).any(|window| window == word.as_bytes());
        found.extend(words.iter().filter(holds).map(|word| format!("{word} in {}", path.display())));
    }
    found
}

fn decision(choice: &str) -> Detail {
    let decision = DecisionDetail { choice: choice.to_owned(), ..DecisionDetail::default() };
    Detail { kind: Some(Kind::Decision(decision)) }
}

/// Plants the words in every kind of data.
async fn plant(user: &mut User) {
    let planted = MemoryDraft {
        speaker: "Speakerzilla".to_owned(),
        detail: Some(decision("the choicemuffin")),
        subject: "Subjectoid".to_owned(),
        ..tagged("my xylothumb is a quibblezorp", &["tagglewump"])
    };
    user.remember_draft(planted).await;
    user.pursue("goalmuffin", &["goalmuffin"]).await;
    user.recall("askablorb").await;
    user.meditate().await;
}

#[tokio::test]
async fn a_default_start_leaves_no_word_in_any_file() {
    let mut system = System::start().await;
    let mut ana = system.user("ana");
    plant(&mut ana).await;
    assert_eq!(ana.recalled("xylothumb").await.len(), 1, "the words are there");
    assert_eq!(words_in(system.folder(), &WORDS), Vec::<String>::new(), "while everything is open");
    for process in [&mut system.api, &mut system.worker, &mut system.embedder] {
        assert!(process.stop().success());
    }
    assert_eq!(words_in(system.folder(), &WORDS), Vec::<String>::new(), "after a stop");
    let databases: Vec<PathBuf> = files(&system.data_dir())
        .into_iter()
        .filter(|file| ["system.db", "queue.db", "memory.db"].iter().any(|name| file.ends_with(name)))
        .collect();
    assert_eq!(databases.len(), 3, "{databases:?}");
    for file in databases {
        let bytes = std::fs::read(&file).expect("a database can be read");
        assert!(!bytes.is_empty() && !bytes.starts_with(b"SQLite"), "{}", file.display());
    }
}

#[tokio::test]
async fn sensitive_decisions_are_sealed_and_still_found_by_choice_and_subject() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    ana.consent().await;
    let metadata = Some(Metadata { sensitive: true, ..Metadata::default() });
    let decided = MemoryDraft {
        detail: Some(decision("the choicemuffin")),
        subject: "Subjectoid".to_owned(),
        metadata,
        ..tagged("my xylothumb is a quibblezorp", &[])
    };
    let id = ana.remember_draft(decided).await.id;
    ana.remember("an ordinary quibble").await;
    assert_eq!(words_in(system.folder(), &WORDS), Vec::<String>::new());
    assert_eq!(ana.recalled("choicemuffin").await, ["my xylothumb is a quibblezorp"]);
    let about = |subject: &str| MemoryFilter { subjects: vec![subject.to_owned()], ..MemoryFilter::default() };
    let found: Vec<_> = ana.list(about("SUBJECTOID")).await.into_iter().map(|memory| memory.id).collect();
    assert_eq!(found, std::slice::from_ref(&id));
    assert!(ana.list(about("subject")).await.is_empty());
    let memory = ana.memory(&id).await;
    assert_eq!(
        (memory.kind(), memory.detail),
        (kimberly_proto::v1::Kind::Decision, Some(decision("the choicemuffin")))
    );
}

#[tokio::test]
async fn keys_lie_outside_the_data_and_only_this_account_reads_them() {
    use std::os::unix::fs::PermissionsExt as _;
    let system = System::start().await;
    system.user("ana").remember("something").await;
    let mode = |path: &Path| std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    let rings = files(&system.keys_dir());
    assert_eq!(rings.len(), 2, "{rings:?}");
    for ring in rings {
        assert_eq!(mode(&ring), 0o600, "{}", ring.display());
    }
    assert_eq!(mode(&system.keys_dir()), 0o700);
    let wrapped = files(&system.data_dir().join("keys"));
    assert!(wrapped.iter().any(|file| file.to_string_lossy().contains("keys/users/")), "{wrapped:?}");
    for file in wrapped {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
    let said = [&system.api, &system.worker, &system.embedder].map(kimberly_tests::process::Process::log).concat();
    let reports = said.lines().filter(|line| line.contains("created the keys of")).count();
    assert_eq!(reports, 1, "only the first process reports it: {said}");
}
