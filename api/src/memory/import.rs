//! Imports any number of memories, piece by piece.
//!
//! One piece is gathered while the previous one is stored. A piece is stored once the previous one is, and once it is
//! full or no more items are waiting: a fast sender gets large pieces, a slow one short waits. Nothing more is read
//! ahead, which slows senders down to the speed of the disk. The stream needs the same memory however long it is.

mod pieces;

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures::{FutureExt as _, StreamExt as _};
use kimberly_core::access::Caller;
use kimberly_core::error::StorageFailure;
use kimberly_core::usecases::{Choices, Import, ImportItem, ImportResult, Imported, ItemOutcome};
use kimberly_core::{Error, Result};
use kimberly_proto::v1;
use kimberly_proto::v1::import_item::Memory;
use kimberly_proto::v1::import_memories_request::Message;
use kimberly_proto::v1::import_result::Outcome;
use pieces::{Piece, Pieces};
use tonic::{Request, Status, Streaming};

use crate::access::Beginning;
use crate::calls::Calls;
use crate::front::Held;
use crate::streams::{Messages, Running, Source, messages};
use crate::{Api, convert, status};

/// Maximum time for the first message. Until it arrives, the stream has no permit and counts for no user.
const START_WITHIN: Duration = Duration::from_secs(10);

pub(super) fn handle(
    api: &Api,
    request: Request<Streaming<v1::ImportMemoriesRequest>>,
) -> Messages<v1::ImportMemoriesResponse> {
    let (beginning, running) = api.begin_stream(request.extensions());
    let held = request.extensions().get::<Arc<Held>>().cloned();
    let (calls, requests) = (api.calls.clone(), request.into_inner());
    // Reads nothing yet: some clients send nothing before they have received the response headers.
    messages(Importing {
        calls,
        beginning,
        caller: None,
        running,
        held,
        requests,
        open: None,
        storing: None,
        ended: None,
    })
}

type Storing = Pin<Box<dyn Future<Output = Result<Imported, Status>> + Send>>;

struct Importing {
    calls: Calls,
    beginning: Beginning,
    /// The caller, once the import is open.
    caller: Option<Arc<Caller>>,
    running: Running,
    /// The request's share of `front::room`, kept until the stream has its own permit.
    held: Option<Arc<Held>>,
    requests: Streaming<v1::ImportMemoriesRequest>,
    /// The import and its gathered items, once it is open.
    open: Option<(Import, Pieces)>,
    /// The piece that is being stored.
    storing: Option<Storing>,
    /// Set once nothing more is read: how the stream ends when all items read are stored.
    ended: Option<Result<(), Status>>,
}

type Received = Option<Result<v1::ImportMemoriesRequest, Status>>;

/// The next event of the stream.
enum Event {
    Received(Box<Received>),
    Stored(Result<Imported, Status>),
    Over(Status),
}

impl Source for Importing {
    type Message = v1::ImportMemoriesResponse;

    async fn next(&mut self) -> Result<Option<Self::Message>, Status> {
        let Some((import, mut pieces)) = self.open.take() else {
            return self.begin().await.map(Some);
        };
        loop {
            self.store_when_ready(&import, &mut pieces);
            if self.storing.is_none()
                && let Some(end) = self.ended.take()
            {
                return end.map(|()| None);
            }
            match self.event(&pieces).await {
                Event::Received(received) => self.take(*received, &mut pieces),
                Event::Over(why) => self.end(Err(why), &mut pieces),
                Event::Stored(stored) => {
                    self.storing = None;
                    let mut imported = stored?;
                    if let Some(error) = imported.stopped.take() {
                        self.end(Err(status::status(error)), &mut pieces);
                    }
                    self.open = Some((import, pieces));
                    return Ok(Some(report(imported)));
                }
            }
        }
    }
}

impl Importing {
    /// Opens the import that the first message names.
    async fn begin(&mut self) -> Result<v1::ImportMemoriesResponse, Status> {
        let first = self.running.wait(tokio::time::timeout(START_WITHIN, self.requests.next())).await?;
        let first = first.map_err(|_elapsed| status::deadline_exceeded(START_WITHIN))?;
        let first = first.transpose().map_err(status::in_our_words)?;
        let Some(Message::Start(mut start)) = first.and_then(|request| request.message) else {
            return Err(status::status(Error::out_of_order("the first message must be `start`")));
        };
        let begun = self.beginning.of_user(&mut start, &mut self.running)?;
        self.held = None;
        self.caller = Some(Arc::clone(&begun.caller));
        let import = self.running.wait(begun.app.open_import(&begun.user, &start.import_id)).await?;
        let v1::ImportStart { skip_uncovered, fit, with_forgotten, .. } = start;
        let import = import.map_err(status::status)?.choosing(Choices { skip_uncovered, fit, with_forgotten });
        let next_index = import.next_index;
        let refused_before = convert::int64(import.refused_before);
        self.open = Some((import, Pieces::from(next_index)));
        Ok(v1::ImportMemoriesResponse { next_index: convert::int64(next_index), refused_before, ..Default::default() })
    }

    /// Starts to store the gathered items if no piece is being stored, and this one is full or no more items wait.
    fn store_when_ready(&mut self, import: &Import, pieces: &mut Pieces) {
        while self.storing.is_none() && !pieces.is_empty() {
            let more = if self.reads(pieces) { self.requests.next().now_or_never() } else { None };
            match more {
                Some(received) => self.take(received, pieces),
                None => {
                    self.storing = Some(store(self.calls.clone(), self.caller.clone(), import.clone(), pieces.take()));
                }
            }
        }
    }

    /// Reports whether another message may be read.
    fn reads(&self, pieces: &Pieces) -> bool {
        self.ended.is_none() && pieces.have_room()
    }

    async fn event(&mut self, pieces: &Pieces) -> Event {
        let reads = self.reads(pieces);
        let storing = async {
            match &mut self.storing {
                Some(storing) => storing.await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            why = self.running.over(), if self.ended.is_none() => Event::Over(why),
            stored = storing => Event::Stored(stored),
            received = self.requests.next(), if reads => Event::Received(Box::new(received)),
        }
    }

    fn take(&mut self, received: Received, pieces: &mut Pieces) {
        let item = match received {
            None => return self.ended = Some(Ok(())),
            Some(Err(failed)) => return self.end(Err(status::in_our_words(failed)), pieces),
            Some(Ok(request)) => request.message,
        };
        let added = match item {
            Some(Message::Item(item)) => pieces.add(item),
            Some(Message::Start(_)) => {
                Err(Error::out_of_order("`start` came twice; it is the first message and no other"))
            }
            None => Err(Error::out_of_order("a message is neither `start` nor an item")),
        };
        if let Err(error) = added {
            self.ended = Some(Err(status::status(error)));
        }
    }

    /// Ends the stream without storing the gathered items.
    fn end(&mut self, how: Result<(), Status>, pieces: &mut Pieces) {
        self.ended = Some(how);
        pieces.clear();
    }
}

/// Stores a piece. Prepares it on its own thread, since reading texts would block other calls for too long.
fn store(calls: Calls, caller: Option<Arc<Caller>>, import: Import, piece: Piece) -> Storing {
    Box::pin(async move {
        let _turn = calls.write_turn(import.user().as_str()).await?;
        let reading = import.clone();
        let prepare = move || {
            reading.prepare(piece.first, piece.items.into_iter().map(|raw| item(caller.as_deref(), raw)).collect())
        };
        let prepared = tokio::task::spawn_blocking(prepare).await;
        let panicked = |_| Error::storage(StorageFailure::Defect, "preparing a piece of an import panicked");
        let stored = match prepared.map_err(panicked) {
            Ok(prepared) => import.store(prepared).await,
            Err(error) => Err(error),
        };
        stored.map_err(status::status)
    })
}

fn item(caller: Option<&Caller>, raw: v1::ImportItem) -> Result<ImportItem> {
    match raw.memory {
        Some(Memory::Draft(raw)) => {
            let draft = convert::memory::draft("item.draft", Some(raw))?;
            Ok(ImportItem::Draft(match caller {
                Some(caller) => caller.draft(draft),
                None => draft,
            }))
        }
        Some(Memory::Record(raw)) => {
            let mut record = convert::record::from_wire("item.record", raw)?;
            if let Some(caller) = caller {
                record.memory.draft = caller.draft(record.memory.draft);
            }
            Ok(ImportItem::Record(Box::new(record)))
        }
        None => Err(Error::invalid("item", "holds neither a draft nor a record")),
    }
}

fn report(imported: Imported) -> v1::ImportMemoriesResponse {
    let result = |result: ImportResult| {
        let outcome = match result.outcome {
            Ok(ItemOutcome::Stored(receipt)) => Outcome::Receipt(convert::memory::receipt(receipt)),
            Ok(ItemOutcome::Forgotten(at)) => Outcome::ForgottenAt(convert::time::wire_timestamp(at)),
            Err(error) => Outcome::Error(status::as_message(&status::status(error))),
        };
        v1::ImportResult { index: convert::int64(result.index), outcome: Some(outcome) }
    };
    let results = imported.results.into_iter().map(result).collect();
    v1::ImportMemoriesResponse { next_index: convert::int64(imported.next_index), results, refused_before: 0 }
}
