//! Stories of `MemoryService` over a real connection: what every rpc does, and what it refuses.

use crate::common::{Served, USER, create, draft, fields, mask, reason};
use kimberly_core::bounds::DEFAULT_TOP_K;
use kimberly_core::settings::{ExtractionDefaults, Origin, ServerDefaults};
use kimberly_proto::v1;
use kimberly_proto::v1::core_memory_service_client::CoreMemoryServiceClient;
use kimberly_proto::v1::memory_tool_service_client::MemoryToolServiceClient;
use kimberly_proto::v1::named_record_service_client::NamedRecordServiceClient;
use kimberly_runtime::config::ApiConfig;
use prost_types::value::Kind;
use tonic::Code;

fn update(id: &str, memory: v1::MemoryDraft, paths: &[&str]) -> v1::UpdateMemoryRequest {
    let user_id = USER.to_owned();
    v1::UpdateMemoryRequest {
        user_id,
        id: id.to_owned(),
        memory: Some(memory),
        update_mask: Some(mask(paths)),
        ..Default::default()
    }
}

fn delete(id: &str) -> v1::DeleteMemoryRequest {
    v1::DeleteMemoryRequest { user_id: USER.to_owned(), id: id.to_owned(), ..Default::default() }
}

fn restore(id: &str) -> v1::RestoreMemoryRequest {
    v1::RestoreMemoryRequest { user_id: USER.to_owned(), id: id.to_owned(), ..Default::default() }
}

fn query(text: &str) -> v1::QueryMemoriesRequest {
    v1::QueryMemoriesRequest { user_id: USER.to_owned(), query: text.to_owned(), ..Default::default() }
}

fn outcome(ids: &[&str]) -> v1::RecordOutcomeRequest {
    let memory_ids = ids.iter().map(|&id| id.to_owned()).collect();
    v1::RecordOutcomeRequest { user_id: USER.to_owned(), memory_ids, outcome: 1, ..Default::default() }
}

#[tokio::test]
async fn memory_is_read_back_as_it_was_written() {
    let served = Served::start().await;
    let number = prost_types::Value { kind: Some(Kind::NumberValue(1.5)) };
    let attributes = prost_types::Struct { fields: [("n".to_owned(), number)].into() };
    let occurred_at = prost_types::Timestamp { seconds: 1_000, nanos: 5_000 };
    let written = v1::MemoryDraft {
        tier: v1::Tier::Permanent as i32,
        content: "Ada was born in London.".to_owned(),
        metadata: Some(v1::Metadata {
            tags: vec![" family ".to_owned(), "family".to_owned()],
            source: v1::Source::Import as i32,
            channels: vec!["voice".to_owned()],
            sensitive: true,
            scope: v1::Scope::Shared as i32,
            user_feedback: Some(v1::Feedback { kind: Some(v1::feedback::Kind::Rating(4)) }),
            ..Default::default()
        }),
        attributes: Some(attributes.clone()),
        session_id: "s1".to_owned(),
        protected: true,
        speaker: "Ada".to_owned(),
        occurred_at: Some(occurred_at),
        created_by: v1::Creator::Agent as i32,
        consent: false,
        namespace: " work ".to_owned(),
        consent_id: String::new(),
        embed: v1::EmbedMark::Always as i32,
        kind: v1::Kind::Note as i32,
        subject: "Ada".to_owned(),
        importance: 7,
        source_ref: "a letter".to_owned(),
        ..Default::default()
    };
    let consent = served.consent().await;
    let receipt = served.create(create(written)).await.unwrap();
    let memory = served.get(&receipt.id).await.unwrap();
    let metadata = memory.metadata.unwrap();
    assert_eq!(memory.content, "Ada was born in London.");
    assert_eq!((memory.tier, receipt.tier), (3, 3));
    assert_eq!((metadata.tags, metadata.version.as_str()), (vec!["family".to_owned()], "v1"));
    assert_eq!((metadata.source, metadata.scope, metadata.sensitive), (3, 2, true));
    assert_eq!(metadata.user_feedback.unwrap().kind, Some(v1::feedback::Kind::Rating(4)));
    assert_eq!(memory.attributes, Some(attributes));
    assert_eq!((memory.session_id.as_str(), memory.speaker.as_str(), memory.protected), ("s1", "Ada", true));
    assert_eq!((memory.occurred_at, memory.created_at), (Some(occurred_at), receipt.created_at));
    assert_eq!(memory.audit.unwrap(), v1::Provenance { created_by: 3, consent: true });
    assert_eq!((memory.namespace.as_str(), memory.consent_id, memory.withheld), ("work", consent.id, false));
    assert_eq!(memory.embed, v1::EmbedMark::Always as i32);
    assert_eq!((memory.kind, memory.importance), (v1::Kind::Note as i32, 7));
    assert_eq!((memory.subject.as_str(), memory.source_ref.as_str()), ("Ada", "a letter"));
    assert_eq!((memory.size_bytes, memory.etag.as_str()), (receipt.size_bytes, receipt.etag.as_str()));
    assert_eq!((memory.state, memory.schema_version, memory.user_id.as_str()), (1, 1, USER));
    assert!(memory.score > 0.0 && memory.score <= 1.0 && (memory.score - receipt.score).abs() < 1e-12);
}

const SECRETS: &str = "My password is hunter2 and my card is 4111 1111 1111 1111";

fn extraction(mask_secrets: bool) -> ServerDefaults {
    ServerDefaults { extraction: ExtractionDefaults { mask_secrets, ..Default::default() }, ..Default::default() }
}

#[expect(clippy::unwrap_used, clippy::expect_used, reason = "a helper of tests fails the test that calls it")]
async fn imported(served: &Served, draft: v1::MemoryDraft) -> v1::MemoryReceipt {
    use v1::import_memories_request::Message;
    let start = v1::ImportStart { user_id: USER.to_owned(), import_id: "i".to_owned(), ..Default::default() };
    let item = v1::ImportItem { index: 0, memory: Some(v1::import_item::Memory::Draft(draft)) };
    let requests = [Message::Start(start), Message::Item(item)]
        .map(|message| v1::ImportMemoriesRequest { message: Some(message) });
    let mut answers = served.memories().import_memories(tokio_stream::iter(requests)).await.unwrap().into_inner();
    loop {
        let results = answers.message().await.unwrap().expect("a result").results;
        if let Some(v1::import_result::Outcome::Receipt(receipt)) = results.into_iter().find_map(|one| one.outcome) {
            return receipt;
        }
    }
}

#[tokio::test]
async fn secrets_are_masked_in_whatever_is_written_unless_it_is_sensitive() {
    let served = Served::with(extraction(true), ApiConfig::default()).await;
    served.consent().await;
    let one = served.remember(SECRETS).await;
    let batch = v1::BatchCreateMemoriesRequest {
        user_id: USER.to_owned(),
        memories: vec![draft("tea"), draft(SECRETS)],
        ..Default::default()
    };
    let batch = served.memories().batch_create_memories(batch).await.unwrap().into_inner().receipts;
    assert!(!batch[0].masked, "{batch:?}");
    let updated = served.memories().update_memory(update(&batch[0].id, draft(SECRETS), &["content"])).await.unwrap();
    let written =
        [one, batch[1].clone(), updated.into_inner().receipt.unwrap(), imported(&served, draft(SECRETS)).await];
    for receipt in written {
        let content = served.get(&receipt.id).await.unwrap().content;
        assert!(receipt.masked && !content.contains("hunter2") && !content.contains("4111"), "{content}: {receipt:?}");
    }
    let metadata = Some(v1::Metadata { sensitive: true, ..Default::default() });
    let sealed = served.create(create(v1::MemoryDraft { metadata, ..draft(SECRETS) })).await.unwrap();
    assert_eq!((sealed.masked, served.get(&sealed.id).await.unwrap().content.as_str()), (false, SECRETS));
}

#[tokio::test]
async fn secrets_are_masked_in_edits_blocks_and_files_and_no_other_change_touches_them() {
    use v1::edit_record_request::Edit;
    let served = Served::with(extraction(true), ApiConfig::default()).await;
    let user_id = || USER.to_owned();
    let named = |name: &str| v1::MemoryDraft { name: name.to_owned(), ..draft("Notes") };
    served.create(create(named("notes.md"))).await.unwrap();
    let mut records = NamedRecordServiceClient::new(served.channel.clone());
    let edit = v1::EditRecordRequest {
        user_id: user_id(),
        name: "notes.md".to_owned(),
        edit: Some(Edit::Append(SECRETS.to_owned())),
        ..Default::default()
    };
    let edited = records.edit_record(edit).await.unwrap().into_inner().receipt.unwrap();
    let mut blocks = CoreMemoryServiceClient::new(served.channel.clone());
    let block = v1::AddBlockRequest {
        user_id: user_id(),
        label: "persona".to_owned(),
        content: SECRETS.to_owned(),
        ..Default::default()
    };
    let added = blocks.add_block(block).await.unwrap().into_inner().receipt.unwrap();
    let block = v1::UpdateBlockRequest {
        user_id: user_id(),
        label: "persona".to_owned(),
        content: Some(format!("Again: {SECRETS}")),
        ..Default::default()
    };
    let updated = blocks.update_block(block).await.unwrap().into_inner().receipt.unwrap();
    assert!(edited.masked && added.masked && updated.masked, "{edited:?} {added:?} {updated:?}");
    let mut tool = MemoryToolServiceClient::new(served.channel.clone());
    for command in [
        serde_json::json!({"command": "create", "path": "/memories/a.md", "file_text": SECRETS}),
        serde_json::json!({"command": "create", "path": "/memories/b.md", "file_text": "one"}),
        serde_json::json!({"command": "str_replace", "path": "/memories/b.md", "old_str": "one", "new_str": SECRETS}),
    ] {
        let request =
            v1::RunMemoryToolRequest { user_id: user_id(), command: command.to_string(), ..Default::default() };
        assert!(!tool.run_memory_tool(request).await.unwrap().into_inner().is_error, "{command}");
    }
    for name in ["notes.md", "core/persona", "memories/a.md", "memories/b.md"] {
        let request = v1::GetNamedRecordRequest { user_id: user_id(), name: name.to_owned(), ..Default::default() };
        let memory = records.get_named_record(request).await.unwrap().into_inner().memory.unwrap();
        let content = memory.content;
        assert!(content.contains("[masked]") && !content.contains("hunter2"), "{name}: {content}");
    }
    served.consent().await;
    let metadata = Some(v1::Metadata { sensitive: true, ..Default::default() });
    let sealed = served.create(create(v1::MemoryDraft { metadata, content: SECRETS.to_owned(), ..named("s") })).await;
    let request = v1::RenameRecordRequest {
        user_id: user_id(),
        name: "s".to_owned(),
        new_name: "t".to_owned(),
        ..Default::default()
    };
    records.rename_record(request).await.unwrap();
    assert_eq!(served.get(&sealed.unwrap().id).await.unwrap().content, SECRETS);
}

#[tokio::test]
async fn secrets_are_stored_as_sent_where_the_operator_keeps_them() {
    let served = Served::with(extraction(false), ApiConfig::default()).await;
    let receipt = served.remember(SECRETS).await;
    assert_eq!((receipt.masked, served.get(&receipt.id).await.unwrap().content.as_str()), (false, SECRETS));
}

#[tokio::test]
async fn batch_is_stored_in_order_or_not_at_all() {
    let served = Served::start().await;
    let batch = |memories| v1::BatchCreateMemoriesRequest {
        user_id: USER.to_owned(),
        memories,
        request_id: String::new(),
        always_new: false,
    };
    let drafts: Vec<_> = (0..1_000).map(|n| draft(&format!("memory number {n}"))).collect();
    let receipts = served.memories().batch_create_memories(batch(drafts)).await.unwrap().into_inner().receipts;
    assert_eq!(receipts.len(), 1_000);
    assert_eq!(served.get(&receipts[417].id).await.unwrap().content, "memory number 417");
    let mixed = vec![draft("good"), draft(" "), v1::MemoryDraft { tier: 9, ..draft("x") }];
    let refused = served.memories().batch_create_memories(batch(mixed)).await.unwrap_err();
    assert_eq!(fields(&refused), ["memories[2].tier"], "conversion comes first");
    let mixed = vec![draft("good"), draft(" "), draft("")];
    let refused = served.memories().batch_create_memories(batch(mixed)).await.unwrap_err();
    assert_eq!(fields(&refused), ["memories[1].content", "memories[2].content"]);
    let user = USER.to_owned().try_into().unwrap();
    let metrics = served.app.user_metrics(&*served.store.registry(), &user).await.unwrap();
    assert_eq!(metrics.usage.created, 1_000);
}

#[tokio::test]
async fn query_finds_explains_and_corrects() {
    let served = Served::start().await;
    served.remember("The boiler was repaired by Mr. Novak in March.").await;
    served.remember("Ada likes green tea.").await;
    let explained = v1::QueryMemoriesRequest { explain: true, ..query("who repaired the boiler?") };
    let answer = served.memories().query_memories(explained).await.unwrap().into_inner();
    assert!(answer.results[0].memory.as_ref().unwrap().content.contains("boiler"));
    assert!(!answer.results[0].explanation.as_ref().unwrap().found_by.is_empty());
    let typo = served.memories().query_memories(query("boilre")).await.unwrap().into_inner();
    assert!(typo.results[0].memory.as_ref().unwrap().content.contains("boiler"), "{typo:?}");
    assert_eq!(typo.corrections[0].word, "boilre");
    let nobody = v1::QueryMemoriesRequest { user_id: "nobody".to_owned(), ..query("boiler") };
    assert!(served.memories().query_memories(nobody).await.unwrap().into_inner().results.is_empty());
}

#[tokio::test]
async fn explained_memory_says_why_it_has_its_score() {
    let served = Served::start().await;
    let id = served.remember("I love my new job!").await.id;
    let request = v1::GetMemoryRequest { user_id: USER.to_owned(), id, explain: true, ..Default::default() };
    let answer = served.memories().get_memory(request).await.unwrap().into_inner();
    let why = answer.score_explanation.unwrap();
    assert_eq!(why.scoring_version, "scoring/v2");
    assert!((why.score - answer.memory.unwrap().score).abs() < 1e-9);
    assert!(why.emotional_weight > 0.0 && why.inputs.contains_key("access_count"));
}

#[tokio::test]
async fn update_changes_what_the_mask_names_and_nothing_else() {
    let served = Served::start().await;
    let before = served.remember("Ada lives in Paris.").await;
    let new = v1::MemoryDraft {
        content: "Ada lives in Rome, and it is wonderful!".to_owned(),
        tier: 3,
        metadata: Some(v1::Metadata { tags: vec!["home".to_owned()], ..Default::default() }),
        ..Default::default()
    };
    let request = update(&before.id, new.clone(), &["content", "metadata.tags"]);
    let receipt = served.memories().update_memory(request).await.unwrap().into_inner().receipt.unwrap();
    let memory = served.get(&before.id).await.unwrap();
    assert_eq!(memory.content, new.content);
    assert_eq!((memory.tier, memory.metadata.unwrap().tags), (2, vec!["home".to_owned()]));
    assert_eq!((receipt.etag.as_str(), before.etag.as_str()), ("2", "1"));
    assert!(receipt.size_bytes > before.size_bytes && receipt.score > before.score);
    let found = served.memories().query_memories(query("Rome")).await.unwrap().into_inner();
    assert_eq!(found.results[0].memory.as_ref().unwrap().id, before.id);
    assert!(served.memories().query_memories(query("Paris")).await.unwrap().into_inner().results.is_empty());
}

#[tokio::test]
async fn update_refuses_a_stale_etag_an_empty_mask_and_unknown_paths() {
    let served = Served::start().await;
    let receipt = served.remember("one").await;
    let mut stale = update(&receipt.id, draft("two"), &["content"]);
    stale.etag = "7".to_owned();
    let (code, name, metadata) = reason(&served.memories().update_memory(stale).await.unwrap_err());
    assert_eq!((code, name.as_str(), metadata["etag"].as_str()), (Code::Aborted, "ETAG_MISMATCH", "1"));
    for paths in [&[] as &[&str], &["score"], &["content", "contents"]] {
        let refused = served.memories().update_memory(update(&receipt.id, draft("two"), paths)).await.unwrap_err();
        assert_eq!(fields(&refused), ["update_mask"]);
    }
    let refused = served.memories().update_memory(update(&receipt.id, draft("two"), &["tier"])).await.unwrap_err();
    assert_eq!(fields(&refused), ["memory.tier"]);
    assert_eq!(served.get(&receipt.id).await.unwrap().content, "one");
}

#[tokio::test]
async fn deleted_memory_is_out_of_recall_and_can_be_restored() {
    let served = Served::start().await;
    let id = served.remember("The cellar key hangs behind the door.").await.id;
    let receipt = served.memories().delete_memory(delete(&id)).await.unwrap().into_inner().receipt.unwrap();
    assert_eq!(receipt.state, v1::MemoryState::Deleted as i32);
    let grace = receipt.delete_after.unwrap().seconds - receipt.updated_at.unwrap().seconds;
    assert_eq!(grace, 30 * 86_400);
    assert!(served.memories().query_memories(query("cellar key")).await.unwrap().into_inner().results.is_empty());
    assert_eq!(served.get(&id).await.unwrap().state, v1::MemoryState::Deleted as i32);
    for refused in [
        served.memories().delete_memory(delete(&id)).await.unwrap_err(),
        served.memories().update_memory(update(&id, draft("x"), &["content"])).await.unwrap_err(),
    ] {
        let (code, name, metadata) = reason(&refused);
        assert_eq!(
            (code, name.as_str(), metadata["state"].as_str()),
            (Code::FailedPrecondition, "WRONG_STATE", "deleted")
        );
    }
    let request = v1::RestoreMemoryRequest { protect: true, ..restore(&id) };
    let receipt = served.memories().restore_memory(request).await.unwrap().into_inner().receipt.unwrap();
    assert_eq!((receipt.state, receipt.delete_after), (1, None));
    assert!(served.get(&id).await.unwrap().protected);
    assert_eq!(served.memories().query_memories(query("cellar key")).await.unwrap().into_inner().results.len(), 1);
    let again = served.memories().restore_memory(restore(&id)).await.unwrap_err();
    assert_eq!(reason(&again).1, "WRONG_STATE");
}

#[tokio::test]
async fn outcomes_are_recorded_for_all_or_none() {
    let served = Served::start().await;
    let (a, b) = (served.remember("a").await.id, served.remember("b").await.id);
    let answer = served.memories().record_outcome(outcome(&[&a, &b, &a])).await.unwrap().into_inner();
    assert_eq!(answer.recorded, 2);
    let unknown = "mem_01890000-0000-7000-8000-000000000000";
    let missing = served.memories().record_outcome(outcome(&[&a, unknown])).await.unwrap_err();
    let (code, name, metadata) = reason(&missing);
    assert_eq!((code, name.as_str(), metadata["id"].as_str()), (Code::NotFound, "MEMORY_NOT_FOUND", unknown));
    let malformed = served.memories().record_outcome(outcome(&[&a, "x", "mem_X"])).await.unwrap_err();
    assert_eq!(fields(&malformed), ["memory_ids[1]", "memory_ids[2]"]);
    let unset = v1::RecordOutcomeRequest { outcome: 0, ..outcome(&[&a]) };
    assert_eq!(fields(&served.memories().record_outcome(unset).await.unwrap_err()), ["outcome"]);
}

#[tokio::test]
async fn an_outcome_of_another_top_k_is_another_request() {
    let served = Served::start().await;
    let id = served.remember("a").await.id;
    let keyed = |top_k| v1::RecordOutcomeRequest { top_k, request_id: "once".to_owned(), ..outcome(&[&id]) };
    for same in [0, DEFAULT_TOP_K.try_into().unwrap()] {
        assert_eq!(served.memories().record_outcome(keyed(same)).await.unwrap().into_inner().recorded, 1);
    }
    assert_eq!(reason(&served.memories().record_outcome(keyed(3)).await.unwrap_err()).1, "REQUEST_ID_REUSED");
}

#[tokio::test]
async fn ended_session_moves_its_short_term_memories_to_the_archive() {
    let served = Served::start().await;
    let short = v1::MemoryDraft { tier: 1, session_id: "s".to_owned(), ..draft("asked for the weather") };
    let id = served.create(create(short)).await.unwrap().id;
    let request =
        v1::EndSessionRequest { user_id: USER.to_owned(), session_id: "s".to_owned(), request_id: String::new() };
    let ended = served.memories().end_session(request).await.unwrap().into_inner();
    assert_eq!(ended.archived, 1);
    assert_eq!(served.get(&id).await.unwrap().state, v1::MemoryState::Archived as i32);
    served.memories().restore_memory(restore(&id)).await.unwrap();
    assert_eq!(served.get(&id).await.unwrap().state, v1::MemoryState::Active as i32);
}

#[tokio::test]
async fn write_over_the_hard_limit_is_refused_but_its_replay_is_not() {
    let defaults = ServerDefaults { long_term_quota_bytes: (2_000, Origin::Config), ..ServerDefaults::default() };
    let served = Served::with(defaults, ApiConfig::default()).await;
    let first = v1::CreateMemoryRequest { request_id: "r1".to_owned(), ..create(draft(&"a".repeat(1_500))) };
    let receipt = served.create(first.clone()).await.unwrap();
    served.create(create(draft(&"b".repeat(600)))).await.unwrap();
    let refused = served.create(create(draft(&"c".repeat(600)))).await.unwrap_err();
    let (code, name, metadata) = reason(&refused);
    assert_eq!((code, name.as_str()), (Code::ResourceExhausted, "QUOTA_EXCEEDED"));
    assert_eq!((metadata["tier"].as_str(), metadata["limit"].as_str()), ("long_term", "2500"));
    let details = tonic_types::StatusExt::get_error_details(&refused);
    assert_eq!(details.quota_failure().unwrap().violations[0].subject, "tier:long_term");
    assert_eq!(served.create(first).await.unwrap(), receipt);
    let runs = v1::ListMeditationsRequest { user_id: USER.to_owned(), ..Default::default() };
    let runs = served.meditations().list_meditations(runs).await.unwrap().into_inner().meditations;
    assert_eq!(runs.len(), 1, "crossing the quota schedules one run");
    assert_eq!(runs[0].trigger, v1::MeditationTrigger::Quota as i32);
}

/// The tier has a quota of 4,000 bytes, and accepts at most 5,000.
#[tokio::test]
async fn full_tier_says_what_fits_and_starts_a_meditation_where_one_makes_room() {
    let defaults = ServerDefaults { long_term_quota_bytes: (4_000, Origin::Config), ..ServerDefaults::default() };
    let served = Served::with(defaults, ApiConfig::default()).await;
    let refusal = async |content: &str| {
        let refused = served.create(create(draft(content))).await.unwrap_err();
        let waits = tonic_types::StatusExt::get_details_retry_info(&refused).is_some();
        (reason(&refused).2, waits, refused.message().to_owned())
    };
    served.remember(&"a".repeat(3_500)).await;
    let (facts, waits, said) = refusal(&"b".repeat(1_900)).await;
    assert!(!waits && !facts.contains_key("meditation_id"), "none makes room: {said}");
    let (used, fits) = (facts["used"].parse::<u64>().unwrap(), facts["fits"].parse::<u64>().unwrap());
    assert!(used + fits == 5_000 && said.contains(&format!("{fits} fit")) && !said.contains("try again"), "{said}");
    let raised = v1::UserSettings {
        long_term_quota_bytes: Some(facts["raise_to"].parse().unwrap()),
        ..v1::UserSettings::default()
    };
    let change = |values| v1::UpdateSettingsRequest {
        user_id: USER.to_owned(),
        user_settings: Some(values),
        update_mask: Some(mask(&["long_term_quota_bytes"])),
        ..v1::UpdateSettingsRequest::default()
    };
    served.settings().update_settings(change(raised)).await.unwrap();
    served.remember(&"b".repeat(1_900)).await;
    served.settings().update_settings(change(v1::UserSettings::default())).await.unwrap();

    // The tier is over its quota, and the run for that has failed: a write that a new run makes room for starts one.
    let owner = kimberly_core::UserId::parse(USER).unwrap();
    let runs = async || {
        let runs = v1::ListMeditationsRequest { user_id: USER.to_owned(), ..Default::default() };
        served.meditations().list_meditations(runs).await.unwrap().into_inner().meditations
    };
    for run in runs().await {
        let id = kimberly_core::MeditationId::parse("id", &run.id).unwrap();
        served.app.fail_meditation(&owner, id, "a test").await.unwrap();
    }
    let (facts, waits, said) = refusal(&"c".repeat(300)).await;
    assert!(waits && said.contains(&facts["meditation_id"]), "{said}");
    assert_eq!(refusal(&"c".repeat(300)).await.0, facts, "one is enough");
    assert_eq!(runs().await[0].id, facts["meditation_id"]);
    let id = kimberly_core::MeditationId::parse("id", &facts["meditation_id"]).unwrap();
    served.app.run_meditation(&owner, id).await.unwrap();
    served.remember(&"c".repeat(300)).await;
}

#[tokio::test]
async fn every_write_is_answered_again_as_the_first_time() {
    let served = Served::start().await;
    let id = served.remember("kept").await.id;
    let key = || "same".to_owned();
    let request = v1::DeleteMemoryRequest { request_id: key(), ..delete(&id) };
    let first = served.memories().delete_memory(request.clone()).await.unwrap().into_inner();
    served.memories().restore_memory(restore(&id)).await.unwrap();
    assert_eq!(served.memories().delete_memory(request).await.unwrap().into_inner(), first);
    assert_eq!(served.get(&id).await.unwrap().state, 1, "a replay does nothing");
    let other = v1::CreateMemoryRequest { request_id: key(), ..create(draft("other")) };
    let (code, name, metadata) = reason(&served.create(other).await.unwrap_err());
    assert_eq!((code, name.as_str()), (Code::FailedPrecondition, "REQUEST_ID_REUSED"));
    assert_eq!(metadata["request_id"], "same");
    let elsewhere = v1::CreateMemoryRequest { user_id: "bob".to_owned(), request_id: key(), ..create(draft("other")) };
    assert!(served.create(elsewhere).await.is_ok(), "request ids of users do not meet");
}

#[tokio::test]
async fn reads_are_touched_in_batches() {
    let served = Served::start().await;
    let id = served.remember("touch me").await.id;
    served.get(&id).await.unwrap();
    served.memories().query_memories(query("touch")).await.unwrap();
    assert_eq!(served.get(&id).await.unwrap().access_count, 0, "not on the path of the request");
    let stop = tokio_util::sync::CancellationToken::new();
    stop.cancel();
    let (touches, app) = (served.api.touches.clone(), served.app.clone());
    touches.run(app, std::time::Duration::from_mins(1), stop).await;
    let memory = served.get(&id).await.unwrap();
    assert_eq!((memory.access_count, memory.etag.as_str()), (3, "1"));
}
