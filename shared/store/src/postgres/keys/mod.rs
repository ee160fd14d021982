//! Wrapped keys in a table, so that every process on every machine uses the same ones, and a purge destroys them for all.
//!
//! The port blocks, and its caller may be any thread, including one of an async runtime. A dedicated thread with its
//! own runtime and connections therefore runs the statements: waiting for it blocks nothing that it needs.
//!
//! A writer creates a user's keys while it holds the vault's row. A purge destroys them in the transaction that finds
//! the vault hidden. So keys always belong to the vault that is written to.

mod admit;
mod table;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::mpsc::sync_channel;
use std::thread;

use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_crypto::{Created, Destroyed, KeyError, KeyName, KeyStore, UserHash};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::options::PgOptions;
use super::pool::Pool;
use super::schema;
pub(crate) use admit::admit;
use table::Table;

/// Connections for keys; a process reads a key once per vault, on first use.
const CONNECTIONS: u32 = 2;

/// A task of the thread.
type Task = Box<dyn FnOnce(Table) -> Pin<Box<dyn Future<Output = ()>>> + Send>;

/// Wrapped keys in the database of a [`super::PgStore`]. Its thread ends when it is dropped.
pub struct PgKeyStore {
    tasks: UnboundedSender<Task>,
}

impl PgKeyStore {
    /// Connects, and creates or migrates the schema. Blocks; may be called from any thread. Ignores the keys of `options`.
    pub fn open(options: PgOptions) -> Result<Self> {
        let (tasks, waiting) = unbounded_channel();
        let (ready, opened) = sync_channel(1);
        let live = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let Ok(runtime) = runtime else { return };
            runtime.block_on(async {
                match open(&options).await {
                    Ok(table) => {
                        let _ = ready.send(Ok(()));
                        serve(table, waiting).await;
                    }
                    Err(error) => {
                        let _ = ready.send(Err(error));
                    }
                }
            });
        };
        let none =
            || Error::storage(StorageFailure::Unavailable, "the thread for the keys in Postgres could not be started");
        thread::Builder::new().name("keys".to_owned()).spawn(live).map_err(|_| none())?;
        opened.recv().unwrap_or_else(|_| Err(none()))?;
        Ok(Self { tasks })
    }

    /// Runs a task on the thread and waits for it.
    fn ask<T, F>(&self, doing: &'static str, work: impl FnOnce(Table) -> F + Send + 'static) -> Result<T, KeyError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T>> + 'static,
    {
        let gone = |()| KeyError::Store { doing, problem: "the thread for the keys in Postgres is gone".to_owned() };
        let (reply, answer) = sync_channel(1);
        let task: Task = Box::new(move |table| {
            let work = work(table);
            Box::pin(async move {
                // The caller waits.
                let _ = reply.send(work.await);
            })
        });
        self.tasks.send(task).map_err(|_| gone(()))?;
        let done = answer.recv().map_err(|_| gone(()))?;
        done.map_err(|error| KeyError::Store { doing, problem: told(&error) })
    }
}

async fn open(options: &PgOptions) -> Result<Table> {
    schema::prepare(options).await?;
    let patience = options.connect_timeout + options.statement_timeout;
    let options = PgOptions { max_connections: CONNECTIONS, ..options.clone() };
    Ok(Table::new(Pool::connect(&options).await?, patience))
}

/// Runs tasks concurrently until all senders are gone.
async fn serve(table: Table, mut waiting: UnboundedReceiver<Task>) {
    let tasks = tokio::task::LocalSet::new();
    tasks
        .run_until(async {
            while let Some(task) = waiting.recv().await {
                tokio::task::spawn_local(task(table.clone()));
            }
        })
        .await;
    table.close().await;
}

/// Formats an error without its kind.
fn told(error: &Error) -> String {
    match error {
        Error::Storage { detail, .. } => detail.clone(),
        other => other.to_string(),
    }
}

impl KeyStore for PgKeyStore {
    fn id(&self) -> Result<Option<String>, KeyError> {
        let found = self.ask("reading the id of the keys", |table| async move { table.read(table::ID).await })?;
        found.map(|bytes| table::id(&bytes)).transpose()
    }

    fn get_or_insert_id(&self, id: &str) -> Result<String, KeyError> {
        let bytes = id.as_bytes().to_vec();
        self.ask("writing the id of the keys", |table| async move { table.create(table::ID, bytes).await.map(drop) })?;
        Ok(self.id()?.unwrap_or_else(|| id.to_owned()))
    }

    fn read(&self, name: &KeyName) -> Result<Option<Vec<u8>>, KeyError> {
        let name = name.name().to_owned();
        self.ask("reading a wrapped key", |table| async move { table.read(&name).await })
    }

    fn create_new(&self, name: &KeyName, bytes: &[u8]) -> Result<Created, KeyError> {
        let (name, bytes) = (name.name().to_owned(), bytes.to_vec());
        let made = self.ask("writing a wrapped key", |table| async move { table.create(&name, bytes).await })?;
        Ok(if made { Created::Made } else { Created::Existed })
    }

    fn replace(&self, name: &KeyName, old: &[u8], new: &[u8]) -> Result<bool, KeyError> {
        let (name, old, new) = (name.name().to_owned(), old.to_vec(), new.to_vec());
        self.ask("replacing a wrapped key", |table| async move { table.replace(&name, old, new).await })
    }

    fn destroy(&self, name: &KeyName) -> Result<Destroyed, KeyError> {
        let name = name.name().to_owned();
        let found = self.ask("destroying a wrapped key", |table| async move { table.destroy(&name).await })?;
        Ok(if found { Destroyed::Done } else { Destroyed::Absent })
    }

    fn holds_users_without_keys(&self) -> Result<bool, KeyError> {
        self.ask("checking for users", |table| async move { table.holds_users().await })
    }

    fn list(&self, after: Option<&UserHash>, limit: usize) -> Result<Vec<UserHash>, KeyError> {
        let after = after.map(|after| after.as_str().to_owned()).unwrap_or_default();
        let names = self.ask("listing wrapped keys", move |table| async move { table.users(after, limit).await })?;
        Ok(names.iter().filter_map(|name| UserHash::parse(name)).collect())
    }
}

impl fmt::Debug for PgKeyStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PgKeyStore")
    }
}
