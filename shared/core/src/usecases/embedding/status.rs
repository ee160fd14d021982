//! Reports the state of a user's vectors, and the reason.

use std::sync::Arc;

use crate::boxed;
use crate::embedding::{EmbeddingLedger, EmbeddingLimits, EmbeddingReport, EmbeddingStanding, Hold, Verdict, judge};
use crate::error::{Error, Result, StorageFailure};
use crate::ids::UserId;
use crate::ports::{IndexState, Registry, VaultReader};
use crate::settings::{EffectiveSettings, ServerDefaults};
use crate::time::{Span, Timestamp};
use crate::usecases::App;

/// Time until texts that the model could not read are tried again.
const FAILED_REST: Span = Span::hours(20);

/// The state of a user's vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmbeddingState {
    /// Vectors cannot be computed now.
    Held(Hold),
    /// All vectors are there.
    InSync,
    /// Work is on its way to the embedder.
    Pending,
    /// The model could not read some texts.
    Failed,
}

/// The state of a user's vectors, with what led to it.
#[derive(Clone, Debug, PartialEq)]
pub struct EmbeddingStatus {
    /// The state.
    pub state: EmbeddingState,
    /// The state in words; empty when all needed vectors are there.
    pub reason: String,
    /// The active index, if any.
    pub index: Option<IndexState>,
    /// The vault's record of embedding.
    pub ledger: EmbeddingLedger,
    /// The limits that apply.
    pub limits: EmbeddingLimits,
    /// When held-back vectors are looked at again.
    pub next: Option<Timestamp>,
}

impl EmbeddingStatus {
    /// Reports whether the user may have vectors.
    pub const fn is_on(&self) -> bool {
        !matches!(self.state, EmbeddingState::Held(Hold::ServerOff | Hold::UserOff | Hold::OverCap { .. }))
    }
}

impl App {
    /// Returns the state of a user's vectors. Without vectors configured, it is what is known without an index.
    #[boxed]
    pub async fn embedding_status(&self, registry: &dyn Registry, user: &UserId) -> Result<EmbeddingStatus> {
        let (now, defaults) = (self.clock.now(), Arc::clone(&self.defaults));
        let read = self.vaults.read(user, move |reader| {
            let defaults = Arc::clone(&defaults);
            Box::pin(async move { known(reader, &defaults, now).await })
        });
        let (limits, ledger) = read.await?;
        // An index that cannot be read counts as none: the embedder builds it again.
        let index = self.vectors.as_ref().and_then(|vectors| vectors.active(user).ok().flatten());
        let system_today = if limits.system_daily > 0 { registry.embedded_on(now.day()).await? } else { 0 };
        Ok(stand(now, limits, ledger, index, system_today))
    }

    /// Reports whether the embedder should sync a user whom no job names: something changed since the last sync,
    /// held-back vectors may be computed now, or the index is not what the last sync left.
    #[boxed]
    pub async fn needs_sync(&self, updater: &super::VectorUpdater, user: &UserId) -> Result<bool> {
        let now = self.clock.now();
        let (vectors, model) = (&updater.vectors, updater.model.model());
        let status = self.embedding_status(&*updater.registry, user).await?;
        let (ledger, answering) = (status.ledger, vectors.active(user)?);
        if ledger.version == 0 || ledger.waiting {
            return Ok(false);
        }
        if ledger.rebuild {
            return Ok(true);
        }
        if !status.limits.user_on {
            return Ok(answering.is_some());
        }
        let Some(report) = ledger.report.filter(|report| report.version == ledger.version) else { return Ok(true) };
        let verdict = judge(now, &status.limits, &standing(&ledger, updater.registry.embedded_on(now.day()).await?));
        if !verdict.may_answer {
            return Ok(answering.is_some());
        }
        if verdict.compute > 0 {
            // A text that the model could not read will hardly be readable a little later.
            return Ok(report.failed == 0 || now.since(report.at) >= FAILED_REST);
        }
        let held = match vectors.state(user, model) {
            // A sync drops it and starts over.
            Err(Error::Storage { failure: StorageFailure::Corrupt, .. }) => return Ok(true),
            state => state?.map_or(0, |state| state.vectors),
        };
        let whole = report.missing > 0 || answering.is_some_and(|active| active.model == *model);
        // The cap may not be filled exactly: a text with several vectors has all of them or none.
        let due = if report.needed > status.limits.vector_cap {
            u64::from(report.missing == 0)
        } else {
            report.needed.saturating_sub(report.missing)
        };
        Ok(held < due || (report.needed > 0 && !whole))
    }
}

/// Returns the limits that apply to a user, and what the vault has recorded.
async fn known(
    reader: &mut dyn VaultReader,
    defaults: &ServerDefaults,
    now: Timestamp,
) -> Result<(EmbeddingLimits, EmbeddingLedger)> {
    let settings = EffectiveSettings::resolve(&reader.settings().await?.settings, defaults);
    Ok((settings.embedding.limits(), reader.embedding_ledger(now.day()).await?))
}

/// Reports whether a user has no vectors because the user's settings or the cap rule them out.
pub(crate) async fn is_disabled(
    reader: &mut dyn VaultReader,
    defaults: &ServerDefaults,
    now: Timestamp,
) -> Result<bool> {
    let (limits, ledger) = known(reader, defaults, now).await?;
    Ok(matches!(stand(now, limits, ledger, None, 0).state, EmbeddingState::Held(Hold::UserOff | Hold::OverCap { .. })))
}

fn standing(ledger: &EmbeddingLedger, system_today: u64) -> EmbeddingStanding {
    let report = ledger.report.unwrap_or_default();
    EmbeddingStanding {
        needed: report.needed,
        missing: report.missing,
        today: ledger.today,
        this_week: ledger.this_week,
        system_today,
        urgent: ledger.asked_at.is_some(),
    }
}

fn stand(
    now: Timestamp,
    limits: EmbeddingLimits,
    ledger: EmbeddingLedger,
    index: Option<IndexState>,
    system_today: u64,
) -> EmbeddingStatus {
    let standing = standing(&ledger, system_today);
    let verdict = judge(now, &limits, &standing);
    let (state, reason) = match named(&limits, &ledger, &verdict) {
        (EmbeddingState::InSync, _) if index.is_none() && ledger.report.is_some_and(|report| report.needed > 0) => {
            (EmbeddingState::Pending, "the index is missing or cannot be read; it is rebuilt".to_owned())
        }
        (EmbeddingState::Pending, reason) => match spent(now, &limits, &standing) {
            Some(hold) => (EmbeddingState::Pending, format!("{reason}; {hold}")),
            None => (EmbeddingState::Pending, reason),
        },
        named => named,
    };
    let next = verdict.next.filter(|_| matches!(state, EmbeddingState::Held(_)));
    EmbeddingStatus { state, reason, index, ledger, limits, next }
}

/// The limit that lets nothing be computed before another day or week, whether or not something is known to be missing.
fn spent(now: Timestamp, limits: &EmbeddingLimits, standing: &EmbeddingStanding) -> Option<Hold> {
    let verdict = judge(now, limits, &EmbeddingStanding { missing: standing.missing.max(1), ..*standing });
    let is_limit =
        |hold: &Hold| matches!(hold, Hold::DailyLimit { .. } | Hold::WeeklyLimit { .. } | Hold::SystemBudget);
    verdict.hold.filter(is_limit).filter(|_| verdict.compute == 0)
}

/// Explains why vectors that may be computed are not there yet.
fn pending(ledger: &EmbeddingLedger) -> String {
    let under_way = ledger.report.filter(|report| report.version == EmbeddingReport::UNDER_WAY && report.missing > 0);
    match under_way {
        Some(report) if !ledger.waiting => {
            format!("{} of {} vectors are being computed", report.missing, report.needed)
        }
        _ => "waiting for the embedder to pick up changes".to_owned(),
    }
}

fn named(limits: &EmbeddingLimits, ledger: &EmbeddingLedger, verdict: &Verdict) -> (EmbeddingState, String) {
    if let Some(hold) = verdict.hold.filter(|hold| matches!(hold, Hold::ServerOff | Hold::UserOff)) {
        return (EmbeddingState::Held(hold), hold.to_string());
    }
    if ledger.version == 0 {
        return (EmbeddingState::InSync, String::new());
    }
    let Some(report) = ledger.report.filter(|report| !ledger.waiting && report.version == ledger.version) else {
        return (EmbeddingState::Pending, pending(ledger));
    };
    match verdict.hold {
        Some(hold) => (EmbeddingState::Held(hold), hold.to_string()),
        None if report.missing == 0 && report.needed > limits.vector_cap => {
            let (needed, cap) = (report.needed, limits.vector_cap);
            let reason = format!(
                "{needed} vectors are needed, but vector_cap is {cap}; the marked and best-scored memories have them"
            );
            (EmbeddingState::InSync, reason)
        }
        None if report.missing == 0 => (EmbeddingState::InSync, String::new()),
        None if report.failed > 0 => {
            (EmbeddingState::Failed, format!("the model could not read {} of the texts", report.failed))
        }
        None => (EmbeddingState::Pending, format!("{} vectors are due", report.missing)),
    }
}

#[cfg(test)]
mod tests;
