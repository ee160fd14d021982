//! Ends a session: moves its short-term memories to the archive, at once and in one transaction.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::archive_now::Archiving;
use super::idempotency::{self, Key};
use super::support::entry;
use super::{App, embed_later};
use crate::audit::AuditEntry;
use crate::bounds::{MAX_PAGE_BYTES, MAX_PAGE_SIZE, MAX_SESSION_ID_BYTES};
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::UserId;
use crate::meditation::runner::observe;
use crate::meditation::steps::{Rotate, Step as _};
use crate::meditation::{Change, Kind, RetentionItem, Snapshot, Trigger};
use crate::memory::{ListOrder, Memory, MemoryFilter, MemoryState, Tier, trimmed_label};
use crate::ports::{Ids, ListKey, VaultReader, VaultTransaction};
use crate::settings::{EffectiveSettings, ServerDefaults};
use crate::time::Timestamp;
use crate::usage::Usage;

/// The session to end.
#[derive(Clone, Debug, Default, Serialize)]
pub struct EndSessionInput {
    /// The session's id, 1-128 bytes.
    pub session_id: String,
    /// Makes the call idempotent; empty for none.
    pub request_id: String,
}

/// Result of ending a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionEnded {
    /// Number of short-term memories that moved to the archive.
    pub archived: u64,
    /// Their bytes.
    pub archived_bytes: u64,
    /// When the session ended.
    pub ended_at: Timestamp,
}

impl App {
    /// Archives the short-term memories of a session, except protected ones, with a separate run record. A session
    /// without memories is no error. More memories may follow under the same session.
    #[boxed]
    pub async fn end_session(&self, user: &UserId, input: EndSessionInput) -> Result<SessionEnded> {
        let key = self.key(&input.request_id, "session.end", &input)?;
        let session_id = trimmed_label(&input.session_id, MAX_SESSION_ID_BYTES);
        let session_id = session_id.map_err(|problem| Error::invalid("session_id", problem))?.to_owned();
        let (ids, defaults) = (Arc::clone(&self.ids), Arc::clone(&self.defaults));
        let work = Arc::new(End { session_id, key, now: self.clock.now(), ids, defaults });
        let running = self.vaults.transact(user, "end_session", move |tx| {
            let work = Arc::clone(&work);
            Box::pin(async move { work.run(tx).await })
        });
        let (ended, carried_out) = running.await?;
        observe(&*self.observer, &carried_out);
        Ok(ended)
    }
}

struct End {
    session_id: String,
    key: Option<Key>,
    now: Timestamp,
    ids: Arc<dyn Ids>,
    defaults: Arc<ServerDefaults>,
}

impl End {
    async fn run(&self, tx: &mut dyn VaultTransaction) -> Result<(SessionEnded, Vec<Change>)> {
        let context = tx.write_context(self.key.as_ref().map(Key::request_id)).await?;
        if let Some(answer) = idempotency::replay(self.key.as_ref(), context.prior.as_ref())? {
            return Ok((answer, Vec::new()));
        }
        let settings = EffectiveSettings::resolve(&context.settings.settings, &self.defaults);
        let carried_out = match tx.session_number(&self.session_id).await? {
            Some(session) => self.rotate(tx, session, (settings, context.usage)).await?,
            None => Vec::new(),
        };
        let archived = carried_out.iter().filter(|change| change.kind == Kind::Archive);
        let archived: Vec<u64> = archived.map(Change::size_bytes).collect();
        tx.audit(&self.audit(archived.len() as u64)).await?;
        if !archived.is_empty() {
            let tools = (&*self.ids, &*self.defaults);
            embed_later(tx, tools, Some(&context.settings.settings), self.now, None).await?;
        }
        let ended =
            SessionEnded { archived: archived.len() as u64, archived_bytes: archived.iter().sum(), ended_at: self.now };
        idempotency::remember(self.key.as_ref(), tx, &ended, self.now).await?;
        Ok((ended, carried_out))
    }

    /// Carries out what the step `rotate` decides about the session's memories, recorded as a run.
    async fn rotate(
        &self,
        tx: &mut dyn VaultTransaction,
        session: i64,
        (settings, usage): (EffectiveSettings, Usage),
    ) -> Result<Vec<Change>> {
        let snapshot = Snapshot {
            trigger: Trigger::SessionEnd,
            as_of: self.now.start_of_hour(),
            items: items_of(tx.as_reader(), &self.session_id, session).await?,
            version_bytes: 0,
            session: Some(session),
            erased_today: 0,
            archived_here: HashSet::new(),
            settings: settings.clone(),
            steps: Vec::new(),
            only: Vec::new(),
            done_here: HashMap::new(),
            fingerprints: Vec::new(),
            decided: Vec::new(),
        };
        let decisions = Rotate::over(&snapshot);
        let archiving = Archiving {
            trigger: Trigger::SessionEnd,
            step: Rotate.name(),
            settings: &settings,
            usage,
            now: self.now,
            ids: Arc::clone(&self.ids),
        };
        archiving.carry_out(tx, decisions).await
    }

    fn audit(&self, count: u64) -> AuditEntry {
        entry(self.now, "session.end", None, count)
    }
}

/// Returns the active short-term memories of a session, ordered by sequence number.
async fn items_of(reader: &mut dyn VaultReader, session_id: &str, session: i64) -> Result<Vec<RetentionItem>> {
    let filter = MemoryFilter {
        tiers: vec![Tier::ShortTerm],
        session_id: Some(session_id.to_owned()),
        states: vec![MemoryState::Active],
        ..MemoryFilter::default()
    };
    let (mut items, mut after): (Vec<RetentionItem>, _) = (Vec::new(), None);
    loop {
        let page = reader.list(&filter, ListOrder::OldestFirst, after, MAX_PAGE_SIZE, MAX_PAGE_BYTES).await?;
        let Some(last) = page.last() else { break };
        after = Some(ListKey { created_at: last.created_at, seq: last.seq });
        items.extend(page.iter().map(|memory| item(memory, session)));
    }
    items.sort_by_key(|item| item.seq);
    Ok(items)
}

fn item(memory: &Memory, session: i64) -> RetentionItem {
    RetentionItem { session: Some(session), ..RetentionItem::of(memory) }
}
