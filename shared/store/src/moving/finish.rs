//! Finishes a move once no process works on the source.

use futures::StreamExt as _;
use kimberly_core::UserId;
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ports::BoxFuture;
use sha2::{Digest as _, Sha256};

use super::cell::{Cell, Contents, hex};
use super::side::{Held, Known, MoveRecord, Rows, State};
use super::{AT_ONCE, Moved, Moving, Tell, Told, copying, keys, let_go, of_vault, refused};
use crate::tables::OF_ALL;

impl Moving {
    /// Copies the rest, compares everything and hands over; `None` while a process works on the source.
    pub fn finish<'a>(&'a self, tell: Tell<'a>) -> BoxFuture<'a, Result<Option<Moved>>> {
        Box::pin(async move {
            let Some(mut held) = self.from.hold().await? else { return Ok(None) };
            let moved = self.alone(&mut *held, tell).await;
            held.end().await;
            moved.map(Some)
        })
    }

    /// Finishes the move while the source is locked.
    async fn alone(&self, held: &mut dyn Held, tell: Tell<'_>) -> Result<Moved> {
        let passed = self.pass(tell).await?;
        if passed.purging > 0 || self.purges().await? {
            return Err(refused(format!(
                "users are being purged, which cannot be moved: start Kimberly on {} until `kimberly purge` shows receipts, stop \
                 it, and run this again",
                self.from.shown()
            )));
        }
        // `copy_all` also destroys keys on the target, so the lock must still be held.
        self.still_held().await?;
        keys::copy_all(&self.from.keys(), &self.to.keys()).await?;
        let of_all = self.copy_of_all().await?;
        self.to.remove_strangers().await?;
        let moved = self.compare(tell, &of_all).await?;
        self.hand_over(held).await?;
        Ok(moved)
    }

    /// Reports whether a purge is unfinished, even if only its last steps are missing.
    async fn purges(&self) -> Result<bool> {
        let mut rows = self.from.read_all().await?;
        let under_way = is_purging(&mut *rows).await;
        rows.end().await;
        under_way
    }

    async fn copy_of_all(&self) -> Result<Contents> {
        let (rows, into) = (self.from.read_all().await?, self.to.fill_all().await?);
        let contents = copying::all(rows, into, String::new(), OF_ALL).await?;
        let found = copying::sum(self.to.read_all().await?, OF_ALL).await?;
        if found == contents {
            return Ok(contents);
        }
        let (mut expected, mut found) = (self.from.read_all().await?, self.to.read_all().await?);
        let difference = copying::first_difference(&mut *expected, &mut *found, OF_ALL).await;
        expected.end().await;
        found.end().await;
        let difference = difference?.unwrap_or_else(|| "at an unknown position".to_owned());
        Err(Error::storage(
            StorageFailure::Corrupt,
            format!("the shared data in {} differs from the source: {difference}", self.to.shown()),
        ))
    }

    /// Compares every copied vault with its digest from the time of copying; may be called at any time.
    pub fn compare_all<'a>(&'a self, tell: Tell<'a>) -> BoxFuture<'a, Result<Moved>> {
        Box::pin(async move { self.compare(tell, &Contents::default()).await })
    }

    /// Compares the contents of the target with what was read from the source.
    async fn compare(&self, tell: Tell<'_>, of_all: &Contents) -> Result<Moved> {
        tell(Told::Checking { users: self.from.count_users().await? });
        let (mut moved, mut all, mut last) = (Moved::default(), Sha256::new(), None);
        loop {
            let users = self.from.users(last.as_ref()).await?;
            let Some(next) = users.last().cloned() else { break };
            // Ordered, because the digest covers users in order.
            let mut comparing = futures::stream::iter(users).map(|user| self.compare_one(user)).buffered(AT_ONCE);
            while let Some(compared) = comparing.next().await {
                let (contents, digest) = compared?;
                moved.users += 1;
                moved.vaults += u64::from(digest.is_some());
                moved.rows += contents.rows();
                all.update(digest.unwrap_or_default());
                tell(Told::User { rows: None });
            }
            last = Some(next);
        }
        moved.rows += of_all.rows();
        all.update(of_all.digest());
        moved.digest = hex(&all.finalize());
        Ok(moved)
    }

    async fn compare_one(&self, user: UserId) -> Result<(Contents, Option<[u8; 32]>)> {
        let Some(Known { digest, .. }) = self.to.known(&user).await? else { return Ok((Contents::default(), None)) };
        let found = copying::read_back(&*self.to, &user).await.map_err(|error| of_vault(&user, error))?;
        if found.digest() == digest {
            return Ok((found, Some(digest)));
        }
        let problem = copying::difference(self, &user).await;
        self.to.forget(&user).await?;
        Err(of_vault(&user, problem?))
    }

    /// Marks the source first: if it could start again while the target is complete, both would serve.
    async fn hand_over(&self, held: &mut dyn Held) -> Result<()> {
        if !held.held().await {
            return Err(let_go(&*self.from));
        }
        self.still_held().await?;
        let (state, installation) = (State::Left, self.installation.clone());
        self.from
            .set_move_record(&MoveRecord { state, installation: installation.clone(), other: self.to.shown() })
            .await?;
        let other = self.from.shown();
        self.to.set_move_record(&MoveRecord { state: State::Arrived, installation, other }).await
    }
}

async fn is_purging(rows: &mut dyn Rows) -> Result<bool> {
    for table in OF_ALL.iter().filter(|table| table.name == "purges") {
        let (user, mut last) = (table.at("user_id").unwrap_or_default(), None);
        loop {
            let page = rows.page(table, last.as_ref()).await?;
            // A finished purge (a receipt) has no user.
            if page.iter().any(|row| row.get(user).is_some_and(|user| *user != Cell::Null)) {
                return Ok(true);
            }
            let Some(next) = page.last().cloned() else { break };
            last = Some(next);
        }
    }
    Ok(false)
}
