//! Job handlers, one file per kind.

mod attachments;
mod carry_out;
mod compact;
mod erase;
mod extract;
mod meditate;
mod of_user;
mod purge;
mod summarize;

use std::sync::Arc;

use kimberly_core::ports::SystemAudit;
use kimberly_core::usecases::App;
use kimberly_queue::{ATTACHMENTS, COMPACT, ERASE, EXTRACT, Handlers, MEDITATE, PURGE, SUMMARIZE};

use meditate::Meditate;
use purge::Purge;

use crate::purge::Purger;

/// Returns the handlers of the worker's jobs.
pub fn handlers(app: &App, audit: Arc<dyn SystemAudit>, purger: Purger) -> Handlers {
    Handlers::default()
        .on(&MEDITATE, Meditate::new(app.clone(), audit))
        .on(&ATTACHMENTS, attachments::handler(app.clone()))
        .on(&ERASE, erase::handler(app.clone()))
        .on(&EXTRACT, extract::handler(app.clone()))
        .on(&COMPACT, compact::handler(app.clone()))
        .on(&SUMMARIZE, summarize::handler(app.clone()))
        .on(&PURGE, Purge::new(purger))
}
