//! apalis's tables and what is added to them: made by whichever process comes first, under a lock, as the role that owns them.
//!
//! The processes work as another role, which owns nothing and may read and write rows.

mod migrate;
mod roles;
mod server;

use super::options::PgQueueOptions;
use crate::error::QueueError;

/// The version of the tables that this build makes, and the oldest whose builds can work beside it.
const VERSION: i32 = 1;
const SERVES_FROM: i32 = 1;

/// Looks whether the server will do, makes the tables if they are not there, and looks whether the role of the processes may
/// do what it must. Returns the schema that holds the extension.
pub(super) async fn prepare(options: &PgQueueOptions) -> Result<String, QueueError> {
    let mut app = server::connect(&options.url, options).await?;
    server::check(&mut app).await?;
    let role = roles::current(&mut app).await?;
    match &options.owner_url {
        None => {
            roles::refuse_lacking(&mut app, &role).await?;
            migrate::run(&mut app, &role).await?;
        }
        Some(url) => {
            let mut owner = server::connect(url, options).await?;
            let owning = roles::current(&mut owner).await?;
            migrate::run(&mut owner, &owning).await?;
            roles::grant(&mut owner, &role).await?;
            server::close(owner).await;
        }
    }
    roles::refuse_lacking(&mut app, &role).await?;
    let extension = server::where_is_hstore(&mut app).await?;
    server::close(app).await;
    extension.ok_or_else(|| refused("the extension hstore, which apalis needs, is gone from the database".to_owned()))
}

/// What is wrong with the database or its roles, in words for whoever runs the service. Nothing gets better by itself.
fn refused(problem: String) -> QueueError {
    QueueError::Refused(problem)
}
