//! Streams an audit.

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
    begin(api, api.enter_any_stream(request).await?).map(messages).map_err(status::status)
}

fn begin(api: &Api, entered: EnteredStream<v1::ExportAuditRequest, Option<UserId>>) -> Result<Exporting> {
    let EnteredStream { message: request, user, app, system, running, .. } = entered;
    let after = u64::try_from(request.after)
        .map_err(|_| Error::invalid("after", format!("is {}; 0 or more is allowed", request.after)))?;
    let turn = user.as_ref().map_or_else(String::new, |user| user.as_str().to_owned());
    let export = app.export_audit(super::of(user, &system), after);
    Ok(Exporting { api: api.clone(), running, turn, export })
}

struct Exporting {
    api: Api,
    running: Running,
    /// The user whose turns are taken. Empty for the system's audit.
    turn: String,
    export: AuditExport,
}

impl Source for Exporting {
    type Message = v1::ExportAuditResponse;

    async fn next(&mut self) -> Result<Option<Self::Message>, Status> {
        let _turn = self.running.wait(self.api.calls.read_turn(&self.turn)).await??;
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
