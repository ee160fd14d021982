//! Reads and writes entities through the contract's services.

use kimberly_core::bounds::MAX_PAGE_SIZE;
use kimberly_core::entities::{CARDS, Card};
use kimberly_proto::v1;
use tonic::{Code, Status};

use super::invalid;
use crate::mcp::call::Call;
use crate::mcp::tools::has_reason;

/// Maximum number of entities read in one walk. The last page may exceed it.
const MOST_READ: usize = 1_000;

/// A stored entity.
pub(super) struct Stored {
    /// Its content.
    pub(super) card: Card,
    /// The id of its memory.
    pub(super) id: String,
    etag: String,
}

impl Stored {
    fn of(memory: v1::Memory) -> Option<Self> {
        let card = Card::read(&memory.name, &memory.content)?;
        Some(Self { card, id: memory.id, etag: memory.etag })
    }
}

/// Creates an entity. The error says what is wrong with its name or type.
pub(super) fn card(name: &str, entity_type: &str) -> Result<Card, Status> {
    Card::new(name, entity_type).map_err(|problem| invalid("name", format!("{name:?} {problem}")))
}

/// Reads an entity, if it exists.
pub(super) async fn read(call: &Call, name: &str) -> Result<Option<Stored>, Status> {
    let name = Card::record_of(&card(name, "")?.name);
    let request =
        v1::GetNamedRecordRequest { user_id: call.user.clone(), namespace: String::new(), name, ..Default::default() };
    match call.names().get_named_record(call.request(request)).await {
        Ok(answer) => Ok(answer.into_inner().memory.and_then(Stored::of)),
        Err(status) if status.code() == Code::NotFound => Ok(None),
        Err(status) => Err(status),
    }
}

/// Stores a new entity. Returns false if it exists already.
pub(super) async fn add(call: &Call, card: &Card) -> Result<bool, Status> {
    let metadata = v1::Metadata { source: v1::Source::Agent.into(), ..v1::Metadata::default() };
    let memory = v1::MemoryDraft {
        tier: v1::Tier::LongTerm.into(),
        name: Card::record_of(&card.name),
        content: card.text(),
        metadata: Some(metadata),
        created_by: v1::Creator::Agent.into(),
        ..v1::MemoryDraft::default()
    };
    let request = v1::CreateMemoryRequest {
        user_id: call.user.clone(),
        memory: Some(memory),
        request_id: String::new(),
        always_new: false,
    };
    match call.memories().create_memory(call.request(request)).await {
        Ok(_) => Ok(true),
        Err(status) if has_reason(&status, "NAME_TAKEN") => Ok(false),
        Err(status) => Err(status),
    }
}

/// Changes an entity. Returns `None` if it does not exist. Writes nothing if nothing changes. After a conflicting write
/// of another call, applies the change again to the new version, until it is in: of several writes, one always succeeds.
/// Calls of this process that change the same entity take turns, so that they do not conflict at all.
pub(super) async fn change<T>(
    call: &Call,
    name: &str,
    mut edit: impl FnMut(&mut Card) -> Result<T, Status> + Send,
) -> Result<Option<T>, Status> {
    let _turn = call.turn_at(name).await;
    loop {
        let Some(Stored { mut card, etag, .. }) = read(call, name).await? else { return Ok(None) };
        let before = card.clone();
        let edited = edit(&mut card)?;
        if card == before {
            return Ok(Some(edited));
        }
        let request = v1::EditRecordRequest {
            user_id: call.user.clone(),
            name: Card::record_of(&card.name),
            edit: Some(v1::edit_record_request::Edit::Whole(card.text())),
            etag,
            ..v1::EditRecordRequest::default()
        };
        match call.names().edit_record(call.request(request)).await {
            Ok(_) => return Ok(Some(edited)),
            Err(status) if !has_reason(&status, "ETAG_MISMATCH") => return Err(status),
            Err(_) => {}
        }
    }
}

/// Returns all entities, newest first, and whether there are more.
pub(super) async fn all(call: &Call) -> Result<(Vec<Card>, bool), Status> {
    let (mut cards, mut page_token) = (Vec::new(), String::new());
    loop {
        let request = v1::ListMemoriesRequest {
            user_id: call.user.clone(),
            filter: Some(filter()),
            page_size: i32::try_from(MAX_PAGE_SIZE).unwrap_or(i32::MAX),
            page_token,
            ..v1::ListMemoriesRequest::default()
        };
        let answer = call.memories().list_memories(call.request(request)).await?.into_inner();
        cards.extend(answer.memories.into_iter().filter_map(Stored::of).map(|stored| stored.card));
        page_token = answer.next_page_token;
        if page_token.is_empty() || cards.len() >= MOST_READ {
            return Ok((cards, !page_token.is_empty()));
        }
    }
}

/// Returns the entities that match a question or a few words, best first.
pub(super) async fn search(call: &Call, query: String) -> Result<Vec<Card>, Status> {
    let request = v1::QueryMemoriesRequest {
        user_id: call.user.clone(),
        query,
        filter: Some(filter()),
        ..v1::QueryMemoriesRequest::default()
    };
    let answer = call.memories().query_memories(call.request(request)).await?.into_inner();
    let found = answer.results.into_iter().filter_map(|result| result.memory).filter_map(Stored::of);
    Ok(found.map(|stored| stored.card).collect())
}

fn filter() -> v1::MemoryFilter {
    // Only the default namespace, like the other tools.
    let namespaces = vec![String::new()];
    v1::MemoryFilter { name_prefix: CARDS.to_owned(), namespaces, ..v1::MemoryFilter::default() }
}
