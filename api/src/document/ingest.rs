//! Ingests a document.

use kimberly_core::Result;
use kimberly_core::usecases::documents::IngestInput;
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::IngestDocumentRequest>) -> Result<v1::IngestDocumentResponse> {
    let Entered { message: request, user, app, caller, traceparent, .. } = entered;
    let input = convert::document::ingest(request, traceparent)?;
    let input = IngestInput { draft: caller.draft(input.draft), ..input };
    let ingested = app.ingest_document(&user, input).await?;
    Ok(v1::IngestDocumentResponse {
        receipt: Some(convert::memory::receipt(ingested.receipt)),
        passages: convert::int32(ingested.passages),
        stored: convert::int32(ingested.stored),
        known: ingested.known,
    })
}
