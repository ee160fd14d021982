//! A database as one side of a move.

mod arrival;
mod fill;
mod hold;
mod record;
mod rows;
mod sql;

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use async_trait::async_trait;
use kimberly_core::UserId;
use kimberly_core::database::PostgresUrl;
use kimberly_core::error::{Error, Result};
use kimberly_crypto::KeyStore;

use super::conn::{Args, Conn};
use super::erasure::delete_rows;
use super::keys::PgKeyStore;
use super::options::PgOptions;
use super::pool::Pool;
use super::rows::{Cells, ReadRow as _};
use super::statement;
use super::{errors, schema};
use crate::blocking::off_thread;
use crate::moving::side::{Filling, Held, Known, MoveRecord, PAGE, Rows, Side, State};
use crate::sealed::Analyser;
use fill::{FillingAll, FillingUser, NO_HURRY};
use hold::{Alone, Fills};
pub(crate) use record::refuse_moved;
use rows::DatabaseRows;

const RECORD: &str = "INSERT INTO moves (one, state, installation, other) VALUES (1, $1, $2, $3) ON CONFLICT (one) \
     DO UPDATE SET state = excluded.state, installation = excluded.installation, other = excluded.other";
const FORGET_ALL: &str = "DELETE FROM moved_users";
/// Row-level security hides users' rows from this query; but without users and keys there are none.
const IS_EMPTY: &str = "SELECT NOT EXISTS (SELECT 1 FROM users) AND NOT EXISTS (SELECT 1 FROM credentials) \
     AND NOT EXISTS (SELECT 1 FROM wrapped_keys) AND NOT EXISTS (SELECT 1 FROM purges) \
     AND NOT EXISTS (SELECT 1 FROM system_audit)";
const NAME: &str = "SELECT name FROM system_audit_log WHERE one = 1";
const USERS: &str = "SELECT user_id FROM users WHERE user_id > $1 ORDER BY user_id LIMIT $2";
const COUNT: &str = "SELECT count(*) FROM users";
const STAMP: &str = "SELECT mark::text || '-' || coalesce(commit_mark::text, ''), purging IS NOT NULL FROM vaults \
     WHERE user_id = $1";
const KNOWN: &str = "SELECT stamp, digest FROM moved_users WHERE user_id = $1";
const FORGET: &str = "DELETE FROM moved_users WHERE user_id = $1";
const STRANGERS: &str = "SELECT m.user_id FROM moved_users m \
     WHERE NOT EXISTS (SELECT 1 FROM users u WHERE u.user_id = m.user_id) ORDER BY 1 LIMIT $1";

/// A database.
pub(crate) struct Database {
    options: PgOptions,
    pool: Pool,
    keys: Arc<PgKeyStore>,
    analyser: Arc<Analyser>,
    /// Process id, on the server, of the connection that holds the lock; 0 before it is taken.
    held_by: AtomicI32,
}

impl Database {
    /// Connects, and creates or migrates the schema.
    pub(crate) async fn open(options: PgOptions) -> Result<Self> {
        let options = PgOptions { moving: true, ..options };
        schema::prepare(&options).await?;
        let pool = Pool::connect(&options).await?;
        let of_keys = options.clone();
        let keys = Arc::new(off_thread(move || PgKeyStore::open(of_keys)).await??);
        let analyser = Arc::new(Analyser::without_files());
        Ok(Self { options, pool, keys, analyser, held_by: AtomicI32::new(0) })
    }

    /// Returns the only row, if any, of a statement on data shared by all users.
    async fn one<T: Send>(
        &self,
        sql: &'static str,
        args: Args,
        read: fn(&mut Cells<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        Ok(self.all(sql, args, read).await?.pop())
    }

    async fn all<T: Send>(
        &self,
        sql: &'static str,
        args: Args,
        read: fn(&mut Cells<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let (mut found, mut raw) = (Vec::new(), self.pool.connection().await?);
        let take = |row: &_| {
            found.push(read(&mut Cells::new(row))?);
            Ok(true)
        };
        let asked = statement::for_each(&mut raw, sql.into(), args, take).await;
        asked.map_err(|failure| failure.into_error("reading data to migrate"))?;
        Ok(found)
    }

    async fn run(&self, sql: &'static str, args: Args) -> Result<()> {
        self.all(sql, args, |_| Ok(())).await.map(drop)
    }

    /// Returns the check that every filling transaction makes.
    fn fills(&self) -> Fills {
        Fills::by(self.held_by.load(Ordering::Relaxed), &self.options.schema)
    }

    /// Within the transaction: stores the record of a move.
    async fn say(&self, conn: &mut Conn, record: &MoveRecord) -> Result<()> {
        let doing = "marking the database";
        if record.state == State::Arrived {
            self.fills().check(conn).await?;
            conn.run(doing, FORGET_ALL, Args::none()).await?;
        }
        let args =
            Args::none().with(record.state.as_str()).with(record.installation.clone()).with(record.other.clone());
        conn.run(doing, RECORD, args).await.map(drop)
    }

    /// Within the transaction: removes a copied user.
    async fn empty(&self, conn: &mut Conn) -> Result<()> {
        let (doing, fills) = ("removing a copied vault", self.fills());
        conn.run(doing, NO_HURRY, Args::none()).await?;
        fills.check(conn).await?;
        delete_rows(conn).await?;
        let args = conn.args();
        conn.run(doing, FORGET, args).await?;
        fills.check(conn).await
    }
}

#[async_trait]
impl Side for Database {
    fn shown(&self) -> String {
        format!("{} (schema {})", PostgresUrl::new(self.options.url.clone()), self.options.schema)
    }

    fn undo(&self) -> String {
        record::undo(&self.options.schema)
    }

    fn stores_attachments(&self) -> bool {
        false
    }

    fn keys(&self) -> Arc<dyn KeyStore> {
        Arc::clone(&self.keys) as Arc<dyn KeyStore>
    }

    async fn move_record(&self) -> Result<Option<MoveRecord>> {
        record::read(&mut *self.pool.connection().await?, &self.options.schema).await
    }

    async fn set_move_record(&self, record: &MoveRecord) -> Result<()> {
        let mut conn = Conn::of_all(self.pool.registry().await?);
        let done = self.say(&mut conn, record).await;
        conn.end(done).await
    }

    async fn hold(&self) -> Result<Option<Box<dyn Held>>> {
        let conn = schema::connect(&self.options.url, &self.options).await?;
        let Some((alone, pid)) = Alone::over(conn, &self.options.schema).await? else { return Ok(None) };
        self.held_by.store(pid, Ordering::Relaxed);
        Ok(Some(Box::new(alone) as Box<dyn Held>))
    }

    async fn is_empty(&self) -> Result<bool> {
        Ok(self.one(IS_EMPTY, Args::none(), |c| c.flag()).await?.unwrap_or(false))
    }

    async fn open(&self) -> Result<()> {
        Ok(())
    }

    async fn installation(&self) -> Result<String> {
        let name = self.one(NAME, Args::none(), |c| c.text()).await?;
        name.ok_or_else(|| errors::corrupt("the audit of the system has no name"))
    }

    async fn users(&self, after: Option<&UserId>) -> Result<Vec<UserId>> {
        let args = Args::none().with(after.map_or("", UserId::as_str).to_owned());
        let args = args.with(i64::try_from(PAGE).unwrap_or(i64::MAX));
        self.all(USERS, args, user).await
    }

    async fn count_users(&self) -> Result<u64> {
        Ok(self.one(COUNT, Args::none(), |c| c.count()).await?.unwrap_or_default())
    }

    async fn read(&self, user: &UserId) -> Result<Option<(Box<dyn Rows>, String)>> {
        let mut conn = Conn::new(self.pool.read(user).await?, user.clone());
        conn.run("reading a vault", NO_HURRY, Args::none()).await?;
        let args = conn.args();
        let read = |row: &_| {
            let c = &mut Cells::new(row);
            Ok((c.text()?, c.flag()?))
        };
        match conn.row("reading a vault", STAMP, args, read).await? {
            None => {
                conn.roll_back().await;
                Ok(None)
            }
            Some((_, true)) => {
                conn.roll_back().await;
                Err(Error::Purging)
            }
            Some((stamp, false)) => Ok(Some((Box::new(DatabaseRows { conn, of_user: true }), stamp))),
        }
    }

    async fn read_all(&self) -> Result<Box<dyn Rows>> {
        let mut conn = Conn::of_all(self.pool.snapshot().await?);
        conn.run("reading the registry", NO_HURRY, Args::none()).await?;
        Ok(Box::new(DatabaseRows { conn, of_user: false }))
    }

    async fn has_attachments(&self, _user: &UserId) -> Result<bool> {
        Ok(false)
    }

    async fn fill(&self, user: &UserId) -> Result<Box<dyn Filling>> {
        let conn = Conn::new(self.pool.write(user).await?, user.clone()).with_analyser(&self.analyser);
        Ok(Box::new(FillingUser::begin(conn, self.fills()).await?))
    }

    async fn fill_all(&self) -> Result<Box<dyn Filling>> {
        let conn = Conn::of_all(self.pool.registry().await?);
        Ok(Box::new(FillingAll::begin(conn, self.fills()).await?))
    }

    async fn known(&self, user: &UserId) -> Result<Option<Known>> {
        let read = |c: &mut Cells<'_>| Ok(Known { stamp: c.text()?, digest: c.opt_digest()?.unwrap_or_default() });
        self.one(KNOWN, Args::of(Some(user)), read).await
    }

    async fn forget(&self, user: &UserId) -> Result<()> {
        self.run(FORGET, Args::of(Some(user))).await
    }

    async fn remove(&self, user: &UserId) -> Result<()> {
        let mut conn = Conn::new(self.pool.write(user).await?, user.clone());
        let done = self.empty(&mut conn).await;
        conn.end(done).await
    }

    async fn remove_strangers(&self) -> Result<u64> {
        let mut removed = 0;
        loop {
            let limit = Args::none().with(i64::try_from(PAGE).unwrap_or(i64::MAX));
            let strangers = self.all(STRANGERS, limit, user).await?;
            if strangers.is_empty() {
                return Ok(removed);
            }
            for stranger in &strangers {
                self.remove(stranger).await?;
                removed += 1;
            }
        }
    }

    async fn close(&self) {
        self.pool.close().await;
    }
}

fn user(c: &mut Cells<'_>) -> Result<UserId> {
    UserId::parse(c.str()?).map_err(|_: Error| errors::corrupt("the registry holds a user id out of bounds"))
}
