//! Export, import and watch, through a server within the test.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper that fails should stop its test")]

mod ending;
mod exporting;
mod importing;
mod observing;
mod unread;
mod watching;

use crate::common::{Served, USER, create, draft, reason};
use futures::TryStreamExt as _;
use kimberly_core::settings::{Origin, ServerDefaults};
use kimberly_proto::v1;
use kimberly_proto::v1::import_item::Memory as Item;
use kimberly_proto::v1::import_memories_request::Message;
use kimberly_proto::v1::import_result::Outcome;
use tonic::{Code, Status, Streaming};

const OTHER: &str = "bob";

fn start(user: &str, import: &str) -> v1::ImportMemoriesRequest {
    let start = v1::ImportStart {
        user_id: user.to_owned(),
        import_id: import.to_owned(),
        skip_uncovered: true,
        ..Default::default()
    };
    v1::ImportMemoriesRequest { message: Some(Message::Start(start)) }
}

fn item(index: i64, memory: Item) -> v1::ImportMemoriesRequest {
    let item = v1::ImportItem { index, memory: Some(memory) };
    v1::ImportMemoriesRequest { message: Some(Message::Item(item)) }
}

fn drafts(range: std::ops::Range<i64>) -> Vec<v1::ImportMemoriesRequest> {
    range.map(|n| item(n, Item::Draft(draft(&format!("memory {n} of the import"))))).collect()
}

/// The responses of an import: where it started and ended, results by index, and its final status.
struct Answered {
    began_at: i64,
    refused_before: i64,
    next_index: i64,
    results: Vec<v1::ImportResult>,
    end: Result<(), Status>,
}

impl Answered {
    fn nothing() -> Self {
        Self { began_at: -1, refused_before: 0, next_index: -1, results: Vec::new(), end: Ok(()) }
    }

    fn outcome(&self, index: i64) -> &Outcome {
        self.results.iter().find(|result| result.index == index).unwrap().outcome.as_ref().unwrap()
    }

    /// Returns code and reason of a refused item.
    fn refusal(&self, index: i64) -> (Code, String) {
        let Outcome::Error(status) = self.outcome(index) else { panic!("item {index} was stored") };
        let bytes = prost::Message::encode_to_vec(status);
        let status = Status::with_details(Code::from(status.code), status.message.clone(), bytes.into());
        let (code, name, _) = reason(&status);
        (code, name)
    }

    fn stored(&self) -> usize {
        self.results.iter().filter(|result| matches!(result.outcome, Some(Outcome::Receipt(_)))).count()
    }
}

async fn import(served: &Served, messages: Vec<v1::ImportMemoriesRequest>) -> Answered {
    let mut answers = match served.memories().import_memories(tokio_stream::iter(messages)).await {
        Ok(answers) => answers.into_inner(),
        Err(status) => return Answered { end: Err(status), ..Answered::nothing() },
    };
    let mut answered = Answered::nothing();
    loop {
        match answers.message().await {
            Ok(Some(answer)) => {
                assert!(answer.next_index >= answered.next_index, "progress never goes back");
                answered.began_at = if answered.began_at < 0 { answer.next_index } else { answered.began_at };
                answered.next_index = answer.next_index;
                answered.refused_before += answer.refused_before;
                answered.results.extend(answer.results);
            }
            Ok(None) => return answered,
            Err(status) => {
                answered.end = Err(status);
                return answered;
            }
        }
    }
}

async fn import_all(served: &Served, user: &str, id: &str, items: Vec<v1::ImportMemoriesRequest>) -> Answered {
    import(served, [vec![start(user, id)], items].concat()).await
}

fn export_of(user: &str) -> v1::ExportMemoriesRequest {
    v1::ExportMemoriesRequest { user_id: user.to_owned(), ..Default::default() }
}

async fn export(served: &Served, request: v1::ExportMemoriesRequest) -> Vec<v1::ExportMemoriesResponse> {
    served.memories().export_memories(request).await.unwrap().into_inner().try_collect().await.unwrap()
}

async fn records(served: &Served, user: &str) -> Vec<v1::MemoryRecord> {
    export(served, export_of(user)).await.into_iter().flat_map(|piece| piece.records).collect()
}

fn watch_of(user: &str) -> v1::WatchMemoriesRequest {
    v1::WatchMemoriesRequest { user_id: user.to_owned(), ..Default::default() }
}

type Watched = Streaming<v1::WatchMemoriesResponse>;

async fn watch(served: &Served, request: v1::WatchMemoriesRequest) -> (Watched, String) {
    let mut watched = served.memories().watch_memories(request).await.unwrap().into_inner();
    let first = watched.message().await.unwrap().unwrap();
    assert_eq!(first.change, None, "the first message comes at once and has no change");
    (watched, first.cursor)
}

async fn next_change(watched: &mut Watched) -> (v1::MemoryChange, String) {
    loop {
        let message = watched.message().await.unwrap().unwrap();
        if let Some(change) = message.change {
            return (change, message.cursor);
        }
    }
}

fn kinds(changes: &[v1::MemoryChange]) -> Vec<&'static str> {
    changes.iter().map(|change| change.kind().as_str_name().trim_start_matches("CHANGE_KIND_")).collect()
}

/// Creates memories in every state, including a restored one.
async fn lived_in(served: &Served) -> Vec<String> {
    let mut ids = Vec::new();
    for n in 0..5 {
        let mut memory = draft(&format!("memory {n}"));
        memory.speaker = String::from("Ann");
        memory.session_id = String::from("s");
        memory.tier = if n == 4 { v1::Tier::ShortTerm.into() } else { v1::Tier::LongTerm.into() };
        ids.push(served.create(create(memory)).await.unwrap().id);
    }
    for n in [1, 2] {
        let delete = v1::DeleteMemoryRequest { user_id: USER.to_owned(), id: ids[n].clone(), ..Default::default() };
        served.memories().delete_memory(delete).await.unwrap();
    }
    let restore = v1::RestoreMemoryRequest { user_id: USER.to_owned(), id: ids[2].clone(), ..Default::default() };
    served.memories().restore_memory(restore).await.unwrap();
    let end = v1::EndSessionRequest { user_id: USER.to_owned(), session_id: "s".to_owned(), ..Default::default() };
    served.memories().end_session(end).await.unwrap();
    ids
}

fn small_quotas() -> ServerDefaults {
    ServerDefaults {
        long_term_quota_bytes: (8 * 1024, Origin::Config),
        archive_allowance_bytes: Some((4 * 1024, Origin::Config)),
        ..ServerDefaults::default()
    }
}
