//! Holds a vault or the registry still while its files are copied, by an open read transaction. Blocks no other work.
//!
//! Data written meanwhile goes to the log next to the database, behind the held snapshot, and no part of the log that
//! is still needed is overwritten. Another process copies the files: a process that opens and closes a database file by
//! itself drops all locks it holds on it.

use std::sync::Arc;
use std::time::Duration;

use kimberly_core::audit::{Actor, AuditEntry};
use kimberly_core::damage::SharedFile;
use kimberly_core::error::StorageFailure;
use kimberly_core::usecases::App;
use kimberly_core::{Error, Result, UserId};
use kimberly_proto::v1;
use tokio::sync::oneshot;
use tonic::{Request, Status};

use super::token::{behind, token};
use crate::access::{EnteredStream, System};
use crate::streams::{Messages, Running, Source, messages};
use crate::{Api, status};

/// Maximum time that files are held. The log grows during that time.
const LONGEST: Duration = Duration::from_mins(10);

/// The stream: one message that says what is held, which then stays held until the caller disconnects.
pub(super) type Holds = Messages<v1::HoldStillResponse>;

pub(super) async fn handle(api: &Api, request: Request<v1::HoldStillRequest>) -> Result<Holds, Status> {
    let entered = api.enter_any_stream(request).await?;
    let EnteredStream { message: request, app, system, running, caller, .. } = entered;
    let begin = async {
        let after = match request.page_token.as_str() {
            "" => None,
            token => Some(behind(token)?),
        };
        if after.is_none() {
            // The copy would lack the vaults whose users it does not know.
            if system.quarantine.unregistered().await? > 0 {
                return Err(Error::SharedFileDamaged(SharedFile::OutdatedRegistry));
            }
            let (at, actor) = (app.clock.now(), Actor::Named(caller.actor()));
            let entry = AuditEntry { at, actor, action: "backup.begin", refused: None, subject: None, count: 1 };
            system.audit.append(vec![entry]).await?;
        }
        next(&app, &system, after).await
    };
    let (answer, hold) = running.wait(begin).await?.map_err(status::status)?;
    Ok(messages(Holding { answer: Some(answer), hold, running }))
}

/// Releases what is held when dropped.
type Hold = oneshot::Sender<()>;

async fn next(app: &App, system: &System, after: Option<UserId>) -> Result<(v1::HoldStillResponse, Option<Hold>)> {
    let Some(user) = system.registry.users(after.as_ref(), 1).await?.pop() else {
        let hold = hold_registry(system).await?;
        return Ok((v1::HoldStillResponse { registry: true, ..Default::default() }, Some(hold)));
    };
    let name = user.folder_name();
    let folder = format!("vaults/{}/{name}", name.get(..2).unwrap_or_default());
    let (problem, hold) = match hold_vault(app, &user).await {
        Ok(hold) => (String::new(), Some(hold)),
        Err(error) => (error.to_string(), None),
    };
    Ok((v1::HoldStillResponse { folder, registry: false, problem, next_page_token: token(&user) }, hold))
}

async fn hold_vault(app: &App, user: &UserId) -> Result<Hold> {
    let (vaults, user) = (Arc::clone(&app.vaults), user.clone());
    held(|mut holder| async move {
        let read = vaults.read(&user, move |reader| {
            let holder = holder.take();
            Box::pin(async move {
                // The first statement takes the snapshot.
                reader.data_version().await?;
                Holder::hold(holder).await;
                Ok(())
            })
        });
        read.await
    })
    .await
}

async fn hold_registry(system: &System) -> Result<Hold> {
    let audit = Arc::clone(&system.audit);
    held(|mut holder| async move {
        let read = audit.read(move |reader| {
            let holder = holder.take();
            Box::pin(async move {
                reader.audit_range().await?;
                Holder::hold(holder).await;
                Ok(())
            })
        });
        read.await
    })
    .await
}

/// Signals that the snapshot is taken, and holds it until it is released.
struct Holder {
    held: oneshot::Sender<()>,
    released: oneshot::Receiver<()>,
}

impl Holder {
    async fn hold(this: Option<Self>) {
        let Some(Self { held, released }) = this else { return };
        if held.send(()).is_ok() {
            // Completes when the other half is dropped.
            let _ = released.await;
        }
    }
}

/// Runs work that holds a snapshot until the returned hold is dropped. Fails if the work does.
async fn held<F, W>(work: F) -> Result<Hold>
where
    F: FnOnce(Option<Holder>) -> W,
    W: Future<Output = Result<()>> + Send + 'static,
{
    let (hold, released) = oneshot::channel();
    let (begun, is_held) = oneshot::channel();
    let working = tokio::spawn(work(Some(Holder { held: begun, released })));
    if is_held.await.is_ok() {
        return Ok(hold);
    }
    match working.await {
        Ok(Err(error)) => Err(error),
        _ => Err(Error::storage(StorageFailure::Defect, "the hold on the files ended unexpectedly")),
    }
}

struct Holding {
    answer: Option<v1::HoldStillResponse>,
    hold: Option<Hold>,
    running: Running,
}

impl Source for Holding {
    type Message = v1::HoldStillResponse;

    async fn next(&mut self) -> Result<Option<Self::Message>, Status> {
        if let Some(answer) = self.answer.take() {
            return Ok(Some(answer));
        }
        if self.hold.is_some() {
            self.running.wait(tokio::time::sleep(LONGEST)).await?;
        }
        Ok(None)
    }
}
