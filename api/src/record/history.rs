//! Returns the history of a memory.

use kimberly_core::usecases::Event;
use kimberly_core::{MemoryId, Result, Timestamp};
use kimberly_proto::v1;
use kimberly_proto::v1::history_event::{Created, Ended, Updated, What};

use crate::access::Entered;
use crate::convert;
use crate::convert::time::wire_timestamp;

pub(super) async fn handle(entered: Entered<v1::GetHistoryRequest>) -> Result<v1::GetHistoryResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let history = app.history(&user, MemoryId::parse("id", &request.id)?).await?;
    Ok(v1::GetHistoryResponse { events: history.events.into_iter().map(event).collect(), truncated: history.truncated })
}

fn event((at, event): (Timestamp, Event)) -> v1::HistoryEvent {
    let what = match event {
        Event::Created => What::Created(Created {}),
        Event::Updated => What::Updated(Updated {}),
        Event::Believed(change) => What::Believed(convert::memory::confidence_change(change)),
        Event::Linked(link) => What::Linked(convert::link::link(link)),
        Event::Ended(ending) => What::Ended(Ended { valid_to: ending.until.map(wire_timestamp), reason: ending.why }),
        Event::Edited(version) => What::Edited(convert::past::said(&version)),
        Event::Decided(decision) => What::Decided(convert::meditation::recorded(&decision)),
    };
    v1::HistoryEvent { at: Some(wire_timestamp(at)), what: Some(what) }
}
