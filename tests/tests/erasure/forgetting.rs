//! Forgotten memories, and memories erased with a withdrawn consent.

use std::path::PathBuf;

use kimberly_proto::v1 as pb;
use kimberly_tests::System;
use kimberly_tests::drafts::draft;
use kimberly_tests::model::minilm;

use super::plant::{self, BYTES, CHOSEN, CONSENT, GOAL, QUERY, SENSITIVE};
use super::scan::{assert_gone, assert_seen, files, goes, words_in};

const PLAIN: (&str, &str) = ("KIMBERLY_ENCRYPTION__ENABLED", "false");

#[tokio::test]
async fn what_is_forgotten_stands_in_no_byte_and_the_rest_stays() {
    let model = minilm().display().to_string();
    let embeds = [("KIMBERLY_EMBEDDER__MODEL", model.as_str()), ("KIMBERLY_EMBEDDING__WINDOW", "always")];
    let settings: Vec<_> = plant::SMALL.into_iter().chain([PLAIN]).chain(embeds).collect();
    let system = System::start_with(&settings).await;
    plant::plant(&system, "ana").await;
    assert_seen(&system, &plant::all());
    assert_gone(&system, &[&QUERY[..], &BYTES, &CHOSEN].concat());
    assert_eq!(attached_files(&system).len(), 1);
    let mut ana = system.user("ana");
    let kept = ana.remember("this one stays").await;
    let filter = pb::MemoryFilter {
        states: [pb::MemoryState::Active, pb::MemoryState::Archived, pb::MemoryState::Deleted].map(Into::into).to_vec(),
        ..pb::MemoryFilter::default()
    };
    let ids: Vec<String> = ana.list(filter).await.into_iter().map(|memory| memory.id).collect();
    let ids: Vec<String> = ids.into_iter().filter(|id| *id != kept.id).collect();
    assert!(ids.len() > 20, "{}", ids.len());
    let request = pb::ForgetMemoriesRequest { user_id: ana.id(), ids, request_id: String::new() };
    ana.clients.memories.forget_memories(request).await.expect("memories are forgotten");
    goes(&system, &plant::of_memories()).await;
    assert_seen(&system, &[&GOAL[..], &CONSENT].concat());
    assert_eq!(attached_files(&system), Vec::<PathBuf>::new());
    assert_eq!(ana.memory(&kept.id).await.content, "this one stays");
    assert_eq!(ana.everything().await.len(), 1);
}

/// The files of attachments.
pub(crate) fn attached_files(system: &System) -> Vec<PathBuf> {
    let mut all = files(&system.data_dir());
    all.retain(|file| file.components().any(|part| part.as_os_str() == "attachments"));
    all
}

#[tokio::test]
async fn what_a_retracted_consent_erases_stands_in_no_byte() {
    let settings: Vec<_> = plant::SMALL.into_iter().chain([PLAIN]).collect();
    let system = System::start_with(&settings).await;
    let consent = plant::plant(&system, "ana").await;
    assert_seen(&system, &plant::all());
    let request =
        pb::RetractConsentRequest { user_id: "ana".to_owned(), id: consent.id, ..pb::RetractConsentRequest::default() };
    system.clients().consents.retract_consent(request).await.expect("a consent is retracted");
    goes(&system, &SENSITIVE).await;
    // The consent's purpose remains as part of its history.
    let others: Vec<_> = plant::all().into_iter().filter(|word| !SENSITIVE.contains(word)).collect();
    assert_seen(&system, &others);
}

#[tokio::test]
async fn encrypted_files_never_hold_a_word_of_it() {
    let system = System::start_with(&plant::SMALL).await;
    plant::plant(&system, "ana").await;
    let all = system.user("ana").everything().await;
    assert!(all.iter().any(|memory| memory.content.contains("qzxcnt")), "the words are there");
    assert_eq!(words_in(system.folder(), &plant::ever()), Vec::new());
}

#[tokio::test]
async fn a_redacted_version_stands_in_no_byte_and_that_it_was_there_stays() {
    let system = System::start_with(&[PLAIN]).await;
    let mut ana = system.user("ana");
    ana.remember_draft(pb::MemoryDraft { name: "note".to_owned(), ..draft("the qzxvrsn of it") }).await;
    let (user_id, name) = (ana.id(), "note".to_owned());
    let edit = Some(pb::edit_record_request::Edit::Whole("something else".to_owned()));
    let request = pb::EditRecordRequest { user_id: ana.id(), name: name.clone(), edit, ..Default::default() };
    ana.clients.named.edit_record(request).await.expect("edited");
    assert_seen(&system, &["qzxvrsn"]);
    let redact = pb::RedactVersionRequest { user_id, name: name.clone(), version: 1, ..Default::default() };
    ana.clients.named.redact_version(redact).await.expect("redacted");
    goes(&system, &["qzxvrsn"]).await;
    let request = pb::GetVersionRequest { user_id: ana.id(), name, version: 1, ..Default::default() };
    let left = ana.clients.named.get_version(request).await.expect("a version").into_inner();
    assert!(left.content.is_empty() && left.version.expect("what is said of it").redacted_at.is_some());
}

#[tokio::test]
async fn a_struck_statement_stands_in_no_byte_once_it_is_forgotten() {
    let system = System::start_with(&[PLAIN]).await;
    let mut ana = system.user("ana");
    let said = |role: pb::Role, content: &str| pb::Message {
        role: role.into(),
        content: content.to_owned(),
        ..Default::default()
    };
    let messages = vec![
        said(pb::Role::User, "I like rye bread a lot. My boss is Maria Qzxstrk."),
        said(pb::Role::Assistant, "So your boss is Maria Qzxstrk. What kind of bread do you like?"),
        said(pb::Role::User, "I live in Ghent with two cats."),
    ];
    ana.observe(messages, pb::ExtractionMode::Wait).await;
    let note = ana.remember("My boss is Maria Qzxstrk.").await;
    assert_seen(&system, &["qzxstrk"]);
    ana.forget(&note.id).await;
    assert_eq!(ana.recalled("Maria Qzxstrk").await, Vec::<String>::new());
    assert_seen(&system, &["qzxstrk"]);
    ana.forget_now(&[&note.id]).await;
    goes(&system, &["qzxstrk"]).await;
    let left: Vec<String> = ana.everything().await.into_iter().map(|memory| memory.content).collect();
    assert!(left.iter().any(|text| text.starts_with("I like rye bread a lot. [...")), "{left:?}");
}
