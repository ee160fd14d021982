//! Streams the texts from which vectors are computed.

use kimberly_core::usecases::embedding::{ExportTextsInput, TextsExport};
use kimberly_core::{Result, UserId};
use kimberly_proto::v1;
use tonic::{Request, Status};

use crate::access::EnteredStream;
use crate::streams::{Messages, Running, Source, messages};
use crate::{Api, convert, status};

pub(super) async fn handle(
    api: &Api,
    request: Request<v1::ExportEmbeddingTextsRequest>,
) -> Result<Messages<v1::ExportEmbeddingTextsResponse>, Status> {
    begin(api, api.enter_stream(request).await?).map(messages).map_err(status::status)
}

fn begin(api: &Api, entered: EnteredStream<v1::ExportEmbeddingTextsRequest>) -> Result<Exporting> {
    let EnteredStream { message: request, user, app, running, .. } = entered;
    let input = ExportTextsInput { missing_only: request.missing_only, cursor: request.cursor };
    let export = app.export_texts(&user, &input)?;
    Ok(Exporting { api: api.clone(), running, user, export })
}

struct Exporting {
    api: Api,
    running: Running,
    user: UserId,
    export: TextsExport,
}

impl Source for Exporting {
    type Message = v1::ExportEmbeddingTextsResponse;

    async fn next(&mut self) -> Result<Option<Self::Message>, Status> {
        let _turn = self.running.wait(self.api.calls.read_turn(self.user.as_str())).await??;
        let piece = self.running.wait(self.export.next()).await?.map_err(status::status)?;
        let Some(piece) = piece else { return Ok(None) };
        let items = piece.items.into_iter().map(convert::embedding::texts).collect();
        Ok(Some(v1::ExportEmbeddingTextsResponse { items, cursor: piece.cursor }))
    }
}
