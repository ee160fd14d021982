//! Streams all data stored about a user's memories.

use kimberly_core::usecases::{Export, ExportInput};
use kimberly_core::{Result, UserId};
use kimberly_proto::v1;
use tonic::{Request, Status};

use crate::access::EnteredStream;
use crate::streams::{Messages, Running, Source, messages};
use crate::{Api, convert, status};

pub(super) async fn handle(
    api: &Api,
    request: Request<v1::ExportMemoriesRequest>,
) -> Result<Messages<v1::ExportMemoriesResponse>, Status> {
    begin(api, api.enter_stream(request).await?).map(messages).map_err(status::status)
}

fn begin(api: &Api, entered: EnteredStream<v1::ExportMemoriesRequest>) -> Result<Exporting> {
    let EnteredStream { message: request, user, app, running, .. } = entered;
    let mut filter = convert::filter::filter(request.filter)?;
    filter.withheld = request.include_withheld;
    let input = ExportInput { filter, cursor: request.cursor };
    let export = app.export_memories(&user, input)?;
    Ok(Exporting { api: api.clone(), running, user, export })
}

struct Exporting {
    api: Api,
    running: Running,
    user: UserId,
    export: Export,
}

impl Source for Exporting {
    type Message = v1::ExportMemoriesResponse;

    async fn next(&mut self) -> Result<Option<Self::Message>, Status> {
        let _turn = self.running.wait(self.api.calls.read_turn(self.user.as_str())).await??;
        let piece = self.running.wait(self.export.next()).await?.map_err(status::status)?;
        let Some(piece) = piece else { return Ok(None) };
        let records = piece.records.into_iter().map(|record| convert::record::to_wire(&self.user, record));
        let records = records.collect::<Result<_>>().map_err(status::status)?;
        Ok(Some(v1::ExportMemoriesResponse { records, cursor: piece.cursor }))
    }
}
