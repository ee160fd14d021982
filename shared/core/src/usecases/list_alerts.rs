//! Lists alerts from the system's audit, where alone they are stored.

use crate::alerts::{Alert, CLEARED, RAISED};
use crate::audit::AuditRecord;
use crate::boxed;
use crate::error::Result;
use crate::ports::{AuditQuery, SystemAudit};
use crate::time::Timestamp;

/// Newest entries of each kind that are read.
const MOST: usize = 200;

/// An alert that was raised, and may have been cleared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToldAlert {
    /// The alert.
    pub alert: Alert,
    /// When it was raised.
    pub raised_at: Timestamp,
    /// When it was cleared; `None` while it holds.
    pub cleared_at: Option<Timestamp>,
    /// Its count when it was raised.
    pub count: u64,
}

/// Returns the alerts that hold and, with `cleared`, those that held before, too; newest first.
#[boxed]
pub async fn list_alerts(audit: &dyn SystemAudit, cleared: bool) -> Result<Vec<ToldAlert>> {
    let read = audit.read(move |reader| {
        Box::pin(async move {
            let mut told = Vec::new();
            for action in [RAISED, CLEARED] {
                let action = Some(action.to_owned());
                let query = AuditQuery { newest_first: true, action, limit: MOST, ..AuditQuery::default() };
                told.extend(reader.audit_entries(&query).await?);
            }
            Ok(told)
        })
    });
    Ok(fold(read.await?, cleared))
}

/// Pairs raised alerts with the entries that cleared them.
fn fold(mut told: Vec<AuditRecord>, cleared: bool) -> Vec<ToldAlert> {
    told.sort_by_key(|entry| entry.no);
    let mut alerts: Vec<ToldAlert> = Vec::new();
    for entry in told {
        let Some(alert) = entry.subject.as_deref().and_then(Alert::from_name) else { continue };
        let open = alerts.iter_mut().find(|one| one.alert == alert && one.cleared_at.is_none());
        match open {
            Some(open) if entry.action == CLEARED => open.cleared_at = Some(entry.at),
            None if entry.action == RAISED => {
                alerts.push(ToldAlert { alert, raised_at: entry.at, cleared_at: None, count: entry.count });
            }
            _ => {}
        }
    }
    alerts.retain(|one| cleared || one.cleared_at.is_none());
    alerts.reverse();
    alerts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(no: u64, action: &str, alert: Alert) -> AuditRecord {
        AuditRecord {
            no,
            at: Timestamp(i64::try_from(no).unwrap()),
            actor: "system".to_owned(),
            action: action.to_owned(),
            refused: None,
            subject: Some(alert.to_string()),
            count: 2,
            hash: [0; 32],
        }
    }

    #[test]
    fn those_that_hold_are_shown_and_if_asked_for_those_that_held() {
        let told = || {
            vec![
                entry(4, RAISED, Alert::ManyGone),
                entry(1, RAISED, Alert::ServiceErrors),
                entry(3, RAISED, Alert::ServiceErrors),
                entry(2, CLEARED, Alert::ServiceErrors),
                entry(5, CLEARED, Alert::ServiceErrors),
            ]
        };
        let shown = |cleared| -> Vec<(i64, Option<i64>)> {
            fold(told(), cleared).iter().map(|one| (one.raised_at.0, one.cleared_at.map(|at| at.0))).collect()
        };
        assert_eq!(shown(false), [(4, None)]);
        assert_eq!(shown(true), [(4, None), (3, Some(5)), (1, Some(2))]);
    }
}
