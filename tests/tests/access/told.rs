//! Callers with access to only some memories learn nothing about the others, by any call.

use kimberly_proto::v1 as pb;
use kimberly_proto::v1::attachment_service_client::AttachmentServiceClient;
use kimberly_proto::v1::conversation_service_client::ConversationServiceClient;
use kimberly_proto::v1::memory_service_client::MemoryServiceClient;
use kimberly_tests::attachments::{messages, start, upload};
use tonic::transport::Channel;
use tonic::{Code, Request};

use crate::access::credentials::{Kind, OWN};
use crate::access::world::{SECRET, World};

/// Kinds that cannot access what is hidden, and may do everything else.
const LIMITED: [&str; 4] = ["namespace", "tier", "nothing sensitive", "token, limited"];

pub(super) fn shown<M>(kind: &Kind, message: M) -> Request<M> {
    let mut request = Request::new(message);
    let shown = kind.shown.as_deref().expect("a credential");
    request.metadata_mut().insert("authorization", shown.parse().expect("a header"));
    request
}

struct Caller<'w> {
    kind: &'w Kind,
    client: MemoryServiceClient<Channel>,
}

impl<'w> Caller<'w> {
    fn new(world: &'w World, name: &str) -> Self {
        Self { kind: world.kind(name), client: MemoryServiceClient::new(world.required.clone()) }
    }

    fn asks<M>(&self, message: M) -> Request<M> {
        shown(self.kind, message)
    }

    async fn listed(&mut self) -> (Vec<String>, Vec<String>) {
        let (mut ids, mut tokens) = (Vec::new(), Vec::new());
        loop {
            let request = pb::ListMemoriesRequest {
                user_id: OWN.to_owned(),
                page_size: 1,
                page_token: tokens.last().cloned().unwrap_or_default(),
                filter: Some(pb::MemoryFilter { states: vec![1, 2, 3], ..pb::MemoryFilter::default() }),
                ..pb::ListMemoriesRequest::default()
            };
            let page = self.client.list_memories(self.asks(request)).await.expect("a page").into_inner();
            ids.extend(page.memories.into_iter().map(|memory| memory.id));
            if page.next_page_token.is_empty() {
                return (ids, tokens);
            }
            tokens.push(page.next_page_token);
        }
    }

    async fn exported(&mut self) -> Vec<String> {
        let request =
            pb::ExportMemoriesRequest { user_id: OWN.to_owned(), include_withheld: true, ..Default::default() };
        let mut pieces = self.client.export_memories(self.asks(request)).await.expect("an export").into_inner();
        let mut ids = Vec::new();
        while let Some(piece) = pieces.message().await.expect("a piece") {
            ids.extend(piece.records.into_iter().filter_map(|record| record.memory).map(|memory| memory.id));
        }
        ids
    }

    async fn recalled(&mut self, query: &str) -> pb::QueryMemoriesResponse {
        let request = pb::QueryMemoriesRequest {
            user_id: OWN.to_owned(),
            query: query.to_owned(),
            active_session_id: "monday".to_owned(),
            ..pb::QueryMemoriesRequest::default()
        };
        self.client.query_memories(self.asks(request)).await.expect("an answer").into_inner()
    }

    async fn remember(&mut self, content: &str) -> String {
        let memory = pb::MemoryDraft { content: content.to_owned(), ..crate::access::requests::draft() };
        let request = pb::CreateMemoryRequest {
            user_id: OWN.to_owned(),
            memory: Some(memory),
            request_id: String::new(),
            always_new: false,
        };
        let answer = self.client.create_memory(self.asks(request)).await.expect("a memory is stored").into_inner();
        answer.receipt.expect("a receipt").id
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_tells_of_memories_that_a_credential_does_not_reach() {
    let world = World::new().await;
    for name in LIMITED {
        let mut caller = Caller::new(&world, name);
        let mine = caller.remember(&format!("a note of {name}")).await;
        let (listed, tokens) = caller.listed().await;
        assert!(listed.contains(&mine) && listed.contains(&world.own.reached), "{name}: {listed:?}");
        assert!(!listed.contains(&world.own.hidden), "{name}");
        let exported = caller.exported().await;
        assert!(exported.contains(&mine) && !exported.contains(&world.own.hidden), "{name}");
        for query in [SECRET, "quoka", "uokk", "what did Zoe see in the harbour?"] {
            let answer = caller.recalled(query).await;
            assert!(answer.corrections.is_empty(), "{name}: a correction of {query} reveals a hidden word");
            let found = answer.results.iter().filter_map(|one| one.memory.as_ref());
            assert!(found.into_iter().all(|memory| memory.id != world.own.hidden), "{name}: {query}");
        }
        assert!(!caller.recalled("when does the ferry leave?").await.results.is_empty(), "{name}");
        // Tokens contain no counts of memories, since these include hidden ones.
        assert!(!tokens.is_empty(), "{name}");
        for token in tokens {
            let text = base64::Engine::decode(&base64::engine::general_purpose::URL_SAFE_NO_PAD, &token);
            let text = String::from_utf8_lossy(&text.expect("a token is base64")).into_owned();
            assert!(!text.contains("seq") && !text.contains("created_at"), "{name}: {text}");
        }
        let ends = pb::EndSessionRequest {
            user_id: OWN.to_owned(),
            session_id: "monday".to_owned(),
            request_id: String::new(),
        };
        let ended = caller.client.end_session(caller.asks(ends)).await.expect("a session ends").into_inner();
        assert_eq!(ended.archived, 0, "{name}: the session's only short-term memory is hidden");
    }
    let mut owner = world.system.user(OWN);
    assert_eq!(owner.memory(&world.own.hidden).await.state(), pb::MemoryState::Active);
    assert!(!owner.recalled(SECRET).await.is_empty(), "the owner finds the hidden memory");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_watch_passes_over_what_is_not_reached() {
    let world = World::new().await;
    let mut owner = world.system.user(OWN);
    for name in LIMITED {
        let mut caller = Caller::new(&world, name);
        let request = pb::WatchMemoriesRequest {
            user_id: OWN.to_owned(),
            from_oldest: true,
            include_memory: true,
            ..pb::WatchMemoriesRequest::default()
        };
        let mut watch = caller.client.watch_memories(caller.asks(request)).await.expect("a watch").into_inner();
        let hidden = pb::MemoryDraft {
            content: format!("another {SECRET}"),
            namespace: "home".to_owned(),
            tier: pb::Tier::ShortTerm.into(),
            metadata: Some(pb::Metadata { sensitive: true, ..pb::Metadata::default() }),
            ..pb::MemoryDraft::default()
        };
        let hidden = owner.remember_draft(hidden).await.id;
        owner.forget(&hidden).await;
        let mine = caller.remember(&format!("a note of {name}")).await;
        let mut seen = Vec::new();
        while !seen.contains(&mine) {
            let message = watch.message().await.expect("a message").expect("a watch goes on");
            seen.extend(message.change.map(|change| change.memory_id));
        }
        assert!(seen.contains(&world.own.reached), "{name}");
        assert!(!seen.contains(&hidden) && !seen.contains(&world.own.hidden), "{name}: {seen:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_put_or_moved_out_of_reach() {
    let world = World::new().await;
    let mut caller = Caller::new(&world, "namespace");
    let unplaced = pb::MemoryDraft { namespace: String::new(), ..crate::access::requests::draft() };
    let create = |memory: pb::MemoryDraft| pb::CreateMemoryRequest {
        user_id: OWN.to_owned(),
        memory: Some(memory),
        request_id: String::new(),
        always_new: false,
    };
    let stored = caller.client.create_memory(caller.asks(create(unplaced))).await.expect("a memory").into_inner();
    let id = stored.receipt.expect("a receipt").id;
    assert_eq!(world.system.user(OWN).memory(&id).await.namespace, "work", "the only namespace that it reaches");
    let elsewhere = pb::MemoryDraft { namespace: "home".to_owned(), ..crate::access::requests::draft() };
    let refused = caller.client.create_memory(caller.asks(create(elsewhere.clone()))).await.expect_err("refused");
    assert_eq!(refused.code(), Code::PermissionDenied);
    let both = pb::BatchCreateMemoriesRequest {
        user_id: OWN.to_owned(),
        memories: vec![crate::access::requests::draft(), elsewhere.clone()],
        request_id: String::new(),
        always_new: false,
    };
    let refused = caller.client.batch_create_memories(caller.asks(both)).await.expect_err("refused");
    assert_eq!(refused.code(), Code::PermissionDenied);
    let mask = prost_types::FieldMask { paths: vec!["namespace".to_owned()] };
    let moved = pb::UpdateMemoryRequest {
        user_id: OWN.to_owned(),
        id: id.clone(),
        memory: Some(elsewhere),
        update_mask: Some(mask),
        ..pb::UpdateMemoryRequest::default()
    };
    let refused = caller.client.update_memory(caller.asks(moved)).await.expect_err("refused");
    assert_eq!(refused.code(), Code::PermissionDenied);
    assert_eq!(world.system.user(OWN).memory(&id).await.namespace, "work");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn attachments_are_seen_by_memories_that_are_reached_and_until_then_by_their_uploader() {
    let world = World::new().await;
    let all = world.system.clients();
    let attached_to =
        |memory: &str, name: &str| pb::AttachmentStart { memory_id: memory.to_owned(), ..start(OWN, name) };
    let hidden = upload(&all, attached_to(&world.own.hidden, "hidden"), b"hidden").await.expect("it is taken");
    let shown_too = upload(&all, attached_to(&world.own.reached, "reached"), b"reached").await.expect("it is taken");
    let waiting = upload(&all, start(OWN, "waiting"), b"waiting").await.expect("it is taken");
    let both = pb::AttachToMemoryRequest {
        user_id: OWN.to_owned(),
        memory_id: world.own.hidden.clone(),
        id: shown_too.id.clone(),
    };
    all.clone().attachments.attach_to_memory(both).await.expect("it is attached");
    for name in LIMITED {
        let kind = world.kind(name);
        let mut client = AttachmentServiceClient::new(world.required.clone());
        let requests = tokio_stream::iter(messages(start(OWN, "mine"), b"hidden"));
        let mut answers = client.upload_attachment(shown(kind, requests)).await.expect("an upload").into_inner();
        let mine =
            answers.message().await.expect("an answer").and_then(|answer| answer.attachment).expect("an attachment");
        assert_ne!(mine.id, hidden.id, "{name}: equal bytes are not revealed");
        let list = pb::ListAttachmentsRequest { user_id: OWN.to_owned(), ..Default::default() };
        let listed = client.list_attachments(shown(kind, list)).await.expect("a list").into_inner().attachments;
        let ids: Vec<&str> = listed.iter().map(|attachment| attachment.id.as_str()).collect();
        assert_eq!(ids, [&shown_too.id, &mine.id], "{name}");
        assert_eq!(
            listed[0].memory_ids,
            std::slice::from_ref(&world.own.reached),
            "{name}: the hidden memory is not named"
        );
        assert_eq!(
            (listed[0].uploaded_by.as_str(), listed[1].uploaded_by.is_empty()),
            ("", false),
            "{name}: other uploaders are not named"
        );
        assert_eq!(listed[1], mine, "{name}");
        for id in [&hidden.id, &waiting.id] {
            let get = pb::GetAttachmentRequest { user_id: OWN.to_owned(), id: id.clone() };
            let absent = client.get_attachment(shown(kind, get)).await.expect_err("refused");
            assert_eq!(kimberly_tests::reason(&absent), "ATTACHMENT_NOT_FOUND", "{name}");
            let memory_id = world.own.reached.clone();
            let steal = pb::AttachToMemoryRequest { user_id: OWN.to_owned(), memory_id, id: id.clone() };
            let absent = client.attach_to_memory(shown(kind, steal)).await.expect_err("refused");
            assert_eq!(kimberly_tests::reason(&absent), "ATTACHMENT_NOT_FOUND", "{name}");
        }
        let memory_id = world.own.hidden.clone();
        let away =
            pb::AttachToMemoryRequest { user_id: OWN.to_owned(), memory_id: memory_id.clone(), id: mine.id.clone() };
        let absent = client.attach_to_memory(shown(kind, away)).await.expect_err("refused");
        assert_eq!(kimberly_tests::reason(&absent), "MEMORY_NOT_FOUND", "{name}");
        // Once attached to a hidden memory, it is invisible to its uploader too.
        let taken = pb::AttachToMemoryRequest { user_id: OWN.to_owned(), memory_id, id: mine.id.clone() };
        all.clone().attachments.attach_to_memory(taken).await.expect("it is attached");
        let get = pb::GetAttachmentRequest { user_id: OWN.to_owned(), id: mine.id.clone() };
        let absent = client.get_attachment(shown(kind, get)).await.expect_err("refused");
        assert_eq!(kimberly_tests::reason(&absent), "ATTACHMENT_NOT_FOUND", "{name}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_writer_who_may_not_read_learns_nothing_of_an_attachment_by_attaching_it() {
    let world = World::new().await;
    let start = pb::AttachmentStart { memory_id: world.own.hidden.clone(), ..start(OWN, "diagnosis") };
    let theirs = upload(&world.system.clients(), start, b"not for everybody").await.expect("it is taken");
    let mut client = AttachmentServiceClient::new(world.required.clone());
    let attach = pb::AttachToMemoryRequest {
        user_id: OWN.to_owned(),
        memory_id: world.own.reached.clone(),
        id: theirs.id.clone(),
    };
    // The first call changes something, the second nothing.
    for _ in 0..2 {
        let answer =
            client.attach_to_memory(shown(world.kind("writer"), attach.clone())).await.expect("it is attached");
        let seen = answer.into_inner().attachment.expect("an answer");
        let memory_ids = vec![world.own.reached.clone()];
        assert_eq!(seen, pb::Attachment { id: theirs.id.clone(), memory_ids, ..pb::Attachment::default() });
    }
    let answer = client.attach_to_memory(shown(world.kind("agent"), attach)).await.expect("it is attached");
    let memory_ids = vec![world.own.reached.clone(), world.own.hidden.clone()];
    assert_eq!(answer.into_inner().attachment, Some(pb::Attachment { memory_ids, ..theirs }), "readers see all fields");
}

#[tokio::test]
async fn limited_callers_forget_observe_and_restore_as_others_do() {
    let world = World::new().await;
    for name in LIMITED {
        let mut caller = Caller::new(&world, name);
        let content = format!("The {name} ferry to the harbour leaves at nine.");
        let draft = pb::MemoryDraft {
            tier: pb::Tier::LongTerm.into(),
            content: content.clone(),
            namespace: "work".to_owned(),
            session_id: "monday".to_owned(),
            ..Default::default()
        };
        let (user_id, id) = (OWN.to_owned(), world.system.user(OWN).remember_draft(draft).await.id);
        let request = pb::DeleteMemoryRequest { user_id, id: id.clone(), ..Default::default() };
        caller.client.delete_memory(caller.asks(request)).await.unwrap_or_else(|refused| panic!("{name}: {refused}"));
        let message = pb::Message { role: pb::Role::User.into(), content, ..Default::default() };
        let request = pb::ObserveRequest {
            user_id: OWN.to_owned(),
            session_id: "monday".to_owned(),
            namespace: "work".to_owned(),
            messages: vec![message],
            ..Default::default()
        };
        let mut conversations = ConversationServiceClient::new(world.required.clone());
        let observed = conversations.observe(caller.asks(request)).await;
        let observed = observed.unwrap_or_else(|refused| panic!("{name}: {refused}")).into_inner();
        assert_eq!(observed.messages[0].outcome(), pb::MessageOutcome::Forgotten, "{name}");
        let request = pb::RestoreMemoryRequest { user_id: OWN.to_owned(), id, ..Default::default() };
        caller.client.restore_memory(caller.asks(request)).await.unwrap_or_else(|refused| panic!("{name}: {refused}"));
    }
}
