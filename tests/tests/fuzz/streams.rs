//! Valid requests of streams: export, watch, and imports with either an item or the start mutated.

use std::sync::atomic::{AtomicU64, Ordering};

use kimberly_proto::v1 as pb;
use kimberly_tests::System;
use pb::import_item::Memory;
use pb::import_memories_request::Message as Part;
use pb::observe_stream_request::Part as Told;
use prost::Message as _;

use crate::fuzz::seeds::{Answers, Seed, USER, draft, filter, seed};

const OBSERVE: &str = "/kimberly.v1.ConversationService/ObserveStream";
const IMPORT: &str = "/kimberly.v1.MemoryService/ImportMemories";

/// Seeds of the streams. An item is a record of the user's own memory, or a draft.
pub(crate) async fn all(system: &System) -> Vec<Seed> {
    let export = pb::ExportMemoriesRequest { user_id: USER.to_owned(), ..Default::default() };
    let mut memories = system.clients().memories;
    let mut pieces = memories.export_memories(export.clone()).await.expect("an export").into_inner();
    let piece = pieces.message().await.expect("a piece").expect("a piece");
    let record = piece.records.first().cloned().expect("a record");
    let narrowed = pb::ExportMemoriesRequest { filter: Some(filter()), cursor: piece.cursor.clone(), ..export.clone() };
    let watch = pb::WatchMemoriesRequest {
        user_id: USER.to_owned(),
        cursor: String::new(),
        from_oldest: true,
        filter: Some(filter()),
        include_memory: true,
    };
    let item = |memory| pb::ImportMemoriesRequest {
        message: Some(Part::Item(pb::ImportItem { index: 0, memory: Some(memory) })),
    };
    let behind_a_start = |memory| Seed { opening: Some(start), ..stream(seed(IMPORT, &item(memory))) };
    vec![
        stream(seed("/kimberly.v1.MemoryService/ExportMemories", &export)),
        stream(seed("/kimberly.v1.MemoryService/ExportMemories", &narrowed)),
        stream(seed("/kimberly.v1.MemoryService/WatchMemories", &watch)),
        stream(seed(
            "/kimberly.v1.MaintenanceService/HoldStill",
            &pb::HoldStillRequest { page_token: "ZnV6eg".to_owned() },
        )),
        stream(Seed { method: IMPORT, opening: None, body: start(), answers: Answers::First }),
        stream(seed(OBSERVE, &observe(observation()))),
        Seed {
            opening: Some(|| observe(observation()).encode_to_vec()),
            ..stream(seed(OBSERVE, &observe(message_of_it())))
        },
        behind_a_start(Memory::Draft(draft())),
        behind_a_start(Memory::Record(record)),
    ]
}

fn observe(part: Told) -> pb::ObserveStreamRequest {
    pb::ObserveStreamRequest { part: Some(part) }
}

/// The start of a stream of messages.
fn observation() -> Told {
    Told::Start(pb::ObserveStart {
        user_id: USER.to_owned(),
        session_id: "session".to_owned(),
        namespace: "travels".to_owned(),
        ..pb::ObserveStart::default()
    })
}

fn message_of_it() -> Told {
    Told::Message(pb::Message {
        role: pb::Role::User.into(),
        content: "The train to Porto leaves at 9:40.".to_owned(),
        name: "Ana".to_owned(),
        ..pb::Message::default()
    })
}

/// Reads only the first messages: a watch is endless, and an export is as long as the vault has grown.
fn stream(seed: Seed) -> Seed {
    Seed { answers: Answers::First, ..seed }
}

/// The start of a new import.
fn start() -> Vec<u8> {
    static IMPORTS: AtomicU64 = AtomicU64::new(0);
    let import_id = format!("import {}", IMPORTS.fetch_add(1, Ordering::Relaxed));
    let start = pb::ImportStart { user_id: USER.to_owned(), import_id, ..Default::default() };
    pb::ImportMemoriesRequest { message: Some(Part::Start(start)) }.encode_to_vec()
}
