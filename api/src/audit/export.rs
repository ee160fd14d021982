//! Streams a user's audit.

use kimberly_core::usecases::audit::{AuditExport, AuditPiece};
use kimberly_core::{Error, Result, UserId};
use kimberly_proto::v1;
use tonic::{Request, Status};

use crate::access::EnteredStream;
use crate::streams::{Messages, Running, Source, messages};
use crate::{Api, convert, status};

pub(super) async fn handle(
    api: &Api,
    request: Request<v1::ExportAuditRequest>,
) -> Result<Messages<v1::ExportAuditResponse>, Status> {
    begin(api, api.enter_stream(request).await?).map(messages).map_err(status::status)
}

fn begin(api: &Api, entered: EnteredStream<v1::ExportAuditRequest>) -> Result<Exporting> {
    let EnteredStream { message: request, user, app, running } = entered;
    let after = u64::try_from(request.after).map_err(|_| {
        Error::invalid("after", format!("is {}; the number of an entry is never negative", request.after))
    })?;
    let export = app.export_audit(&user, after);
    Ok(Exporting { api: api.clone(), running, user, export })
}

struct Exporting {
    api: Api,
    running: Running,
    user: UserId,
    export: AuditExport,
}

impl Source for Exporting {
    type Message = v1::ExportAuditResponse;

    async fn next(&mut self) -> Result<Option<Self::Message>, Status> {
        let _turn = self.running.wait(self.api.calls.read_turn(self.user.as_str())).await??;
        let piece = self.running.wait(self.export.next()).await?.map_err(status::status)?;
        Ok(piece.map(|piece| match piece {
            AuditPiece::Section(section) => {
                v1::ExportAuditResponse { section: Some(convert::audit::section(section)), entries: Vec::new() }
            }
            AuditPiece::Entries(entries) => {
                let entries = entries.into_iter().map(convert::audit::entry).collect();
                v1::ExportAuditResponse { section: None, entries }
            }
        }))
    }
}
