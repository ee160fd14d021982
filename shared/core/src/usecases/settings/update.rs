//! Sets or resets some of a user's settings.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::SettingsView;
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::UserId;
use crate::meditation::Trigger;
use crate::memory::names;
use crate::ports::{Ids, Registry, VaultTransaction};
use crate::settings::{EffectiveSettings, ServerDefaults, StoredSettings, UserSettings};
use crate::time::{Span, Timestamp};
use crate::usecases::idempotency::{self, Key};
use crate::usecases::support::{check_etag, entry};
use crate::usecases::{App, embed_later};

/// A field that an update may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SettingsField {
    /// `short_term_quota_bytes`
    ShortTermQuota,
    /// `long_term_quota_bytes`
    LongTermQuota,
    /// `permanent_quota_bytes`
    PermanentQuota,
    /// `archive_allowance_bytes`
    ArchiveAllowance,
    /// `core_memory_bytes`
    CoreMemory,
    /// `scoring`: preset and weights
    Scoring,
    /// `grace`
    Grace,
    /// `daily_prune_cap_bytes`
    DailyPruneCap,
    /// `meditation_interval`
    MeditationInterval,
    /// `short_term_lifetime`
    ShortTermLifetime,
    /// `low_score`
    LowScore,
    /// `embedding_enabled`
    EmbeddingEnabled,
    /// `vector_cap`
    VectorCap,
    /// `daily_embedding_limit`
    DailyEmbeddingLimit,
    /// `weekly_embedding_limit`
    WeeklyEmbeddingLimit,
    /// `reading_enabled`
    ReadingEnabled,
    /// `merging_enabled`
    MergingEnabled,
    /// `consent_retraction`
    ConsentRetraction,
}
names!(SettingsField {
    ShortTermQuota => "short_term_quota_bytes",
    LongTermQuota => "long_term_quota_bytes",
    PermanentQuota => "permanent_quota_bytes",
    ArchiveAllowance => "archive_allowance_bytes",
    CoreMemory => "core_memory_bytes",
    Scoring => "scoring",
    Grace => "grace",
    DailyPruneCap => "daily_prune_cap_bytes",
    MeditationInterval => "meditation_interval",
    ShortTermLifetime => "short_term_lifetime",
    LowScore => "low_score",
    EmbeddingEnabled => "embedding_enabled",
    VectorCap => "vector_cap",
    DailyEmbeddingLimit => "daily_embedding_limit",
    WeeklyEmbeddingLimit => "weekly_embedding_limit",
    ReadingEnabled => "reading_enabled",
    MergingEnabled => "merging_enabled",
    ConsentRetraction => "consent_retraction",
});

/// New values, and which of them to take.
#[derive(Clone, Debug)]
pub struct SettingsPatch {
    values: UserSettings,
    fields: Vec<SettingsField>,
}

impl SettingsPatch {
    /// Reads an update mask; the error names a path that is no field, and lists the allowed ones. `preset` and `weights`,
    /// the members of `scoring`, mean the same as `scoring`. Every value is checked against its bounds, named or not.
    pub fn new(values: UserSettings, mask: &[String]) -> Result<Self> {
        let allowed = || SettingsField::ALL.iter().map(|field| field.name()).collect::<Vec<_>>().join(", ");
        if mask.is_empty() {
            return Err(Error::invalid("update_mask", format!("is empty; name at least one of {}", allowed())));
        }
        let field = |path: &String| match path.as_str() {
            "preset" | "weights" => Ok(SettingsField::Scoring),
            name => SettingsField::from_name(name)
                .ok_or_else(|| Error::invalid("update_mask", format!("names \"{name}\"; allowed are {}", allowed()))),
        };
        let fields = mask.iter().map(field).collect::<Result<_>>()?;
        values.check()?;
        Ok(Self { values, fields })
    }

    /// Returns the changed settings, checked.
    fn apply(&self, current: &UserSettings) -> Result<UserSettings> {
        let (mut settings, from) = (current.clone(), &self.values);
        for field in &self.fields {
            match field {
                SettingsField::ShortTermQuota => settings.short_term_quota_bytes = from.short_term_quota_bytes,
                SettingsField::LongTermQuota => settings.long_term_quota_bytes = from.long_term_quota_bytes,
                SettingsField::PermanentQuota => settings.permanent_quota_bytes = from.permanent_quota_bytes,
                SettingsField::ArchiveAllowance => settings.archive_allowance_bytes = from.archive_allowance_bytes,
                SettingsField::CoreMemory => settings.core_memory_bytes = from.core_memory_bytes,
                SettingsField::Scoring => settings.scoring = from.scoring,
                SettingsField::Grace => settings.grace = from.grace,
                SettingsField::DailyPruneCap => settings.daily_prune_cap_bytes = from.daily_prune_cap_bytes,
                SettingsField::MeditationInterval => settings.meditation_interval = from.meditation_interval,
                SettingsField::ShortTermLifetime => settings.short_term_lifetime = from.short_term_lifetime,
                SettingsField::LowScore => settings.low_score = from.low_score,
                SettingsField::EmbeddingEnabled => settings.embedding_enabled = from.embedding_enabled,
                SettingsField::VectorCap => settings.vector_cap = from.vector_cap,
                SettingsField::DailyEmbeddingLimit => settings.daily_embedding_limit = from.daily_embedding_limit,
                SettingsField::WeeklyEmbeddingLimit => settings.weekly_embedding_limit = from.weekly_embedding_limit,
                SettingsField::ReadingEnabled => settings.reading_enabled = from.reading_enabled,
                SettingsField::MergingEnabled => settings.merging_enabled = from.merging_enabled,
                SettingsField::ConsentRetraction => settings.consent_retraction = from.consent_retraction,
            }
        }
        settings.check()?;
        Ok(settings)
    }
}

/// A change of settings.
#[derive(Clone, Debug)]
pub struct UpdateSettingsInput {
    /// The new values, and which of them apply.
    pub patch: SettingsPatch,
    /// The etag they must still have; empty for any.
    pub etag: String,
    /// Makes the write idempotent; empty for none.
    pub request_id: String,
}

impl App {
    /// Changes settings. A new meditation interval also moves the run that is due next, and a shorter lifetime makes a
    /// rotation due at once. If the process dies between the two writes, the run comes when it was due before, and the
    /// new values count from there.
    #[boxed]
    pub async fn update_settings(
        &self,
        registry: &dyn Registry,
        user: &UserId,
        input: UpdateSettingsInput,
    ) -> Result<SettingsView> {
        let fields: Vec<&str> = input.patch.fields.iter().map(|field| field.name()).collect();
        let body = (&input.etag, &input.patch.values, fields);
        let key = self.key(&input.request_id, "settings.update", &body)?;
        let (ids, defaults) = (Arc::clone(&self.ids), Arc::clone(&self.defaults));
        let work = Arc::new(Update { input, key, now: self.clock.now(), ids, defaults });
        let running = self.vaults.transact(user, "update_settings", move |tx| {
            let work = Arc::clone(&work);
            Box::pin(async move { work.run(tx).await })
        });
        let changed = running.await?;
        let view = self.view(changed.after);
        if let Some(before) = changed.before {
            let interval = |s: &EffectiveSettings| s.meditation_interval.value;
            let (old, new) = (EffectiveSettings::resolve(&before, &self.defaults), &view.effective);
            self.move_due_time(registry, user, interval(&old), interval(new)).await?;
            if new.short_term_lifetime.value < old.short_term_lifetime.value {
                registry.reschedule(user, Trigger::Rotation, None, self.clock.now()).await?;
            }
        }
        Ok(view)
    }

    /// Moves the due time to the new interval, counted from the same start, but never into the past.
    async fn move_due_time(&self, registry: &dyn Registry, user: &UserId, old: Span, new: Span) -> Result<()> {
        if old == new {
            return Ok(());
        }
        let Some(due) = registry.next_due(user, Trigger::Schedule).await? else { return Ok(()) };
        let next = due.minus(old).plus(new).max(self.clock.now());
        // `false` means that the scheduler has just moved it, and so already counts with the new interval.
        registry.reschedule(user, Trigger::Schedule, Some(due), next).await.map(drop)
    }
}

struct Update {
    input: UpdateSettingsInput,
    key: Option<Key>,
    now: Timestamp,
    ids: Arc<dyn Ids>,
    defaults: Arc<ServerDefaults>,
}

/// Settings after the write, and before it unless this was a replay.
struct Changed {
    before: Option<UserSettings>,
    after: StoredSettings,
}

/// The answer stored for replays: numbers only.
#[derive(Serialize, Deserialize)]
struct Answer {
    settings: UserSettings,
    revision: u64,
}

impl Update {
    async fn run(&self, tx: &mut dyn VaultTransaction) -> Result<Changed> {
        let context = tx.write_context(self.key.as_ref().map(Key::request_id)).await?;
        let replay = idempotency::replay::<Answer>(self.key.as_ref(), context.prior.as_ref())?;
        if let Some(Answer { settings, revision }) = replay {
            return Ok(Changed { before: None, after: StoredSettings { settings, revision } });
        }
        let before = context.settings;
        check_etag(&self.input.etag, &before.revision.to_string())?;
        let settings = self.input.patch.apply(&before.settings)?;
        let revision = tx.put_settings(&settings).await?;
        if embedding_part(&settings) != embedding_part(&before.settings) {
            // Also for users who turned embeddings off: their vectors must go.
            let tools = (&*self.ids, &*self.defaults);
            embed_later(tx, tools, None, self.now, None).await?;
        }
        tx.audit(&entry(self.now, "settings.update", None, 1)).await?;
        let answer = Answer { settings, revision };
        idempotency::remember(self.key.as_ref(), tx, &answer, self.now).await?;
        let after = StoredSettings { settings: answer.settings, revision };
        Ok(Changed { before: Some(before.settings), after })
    }
}

/// Returns the settings that the user's vectors depend on.
fn embedding_part(settings: &UserSettings) -> impl PartialEq {
    (settings.embedding_enabled, settings.vector_cap, settings.daily_embedding_limit, settings.weekly_embedding_limit)
}
