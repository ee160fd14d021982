//! The history of a memory.

use kimberly_proto::v1;
use kimberly_proto::v1::history_event::What;

use super::{decided, table};
use crate::{names, text, time};

/// Maximum length of a reason in a row, in characters.
const SHOWN: usize = 240;

/// One line per event, oldest first.
pub(crate) fn history(events: &[v1::HistoryEvent]) -> String {
    let mut rows = table(&["when", "what was done"]);
    for event in events {
        let what = event.what.as_ref().map(said).unwrap_or_default();
        rows.add_row([time::minute(event.at.as_ref()), what]);
    }
    rows.trim_fmt()
}

fn said(what: &What) -> String {
    let because = |reason: &str| {
        let reason = text::line(reason, SHOWN);
        if reason.is_empty() { reason } else { format!(": {reason}") }
    };
    match what {
        What::Created(_) => "created".to_owned(),
        What::Updated(_) => "written over last".to_owned(),
        What::Believed(change) => format!("confidence {:.3}", change.confidence),
        What::Linked(link) => {
            let relation = names::relation(link.relation);
            format!("{} {relation} {}{}", link.from_id, link.to_id, because(&link.evidence))
        }
        What::Ended(ended) => {
            let until = ended.valid_to.as_ref().map(|at| format!(" {}", time::minute(Some(at)))).unwrap_or_default();
            format!("holds until{until}{}", because(&ended.reason))
        }
        What::Edited(version) => format!("edited, version {}{}", version.version, because(&version.reason)),
        What::Decided(decision) => {
            format!("{} ({})", decided::action(decision.action), decided::reason(decision.reason))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_night_decided_is_said_in_words() {
        let decision = v1::Decision {
            action: v1::DecisionAction::Weigh.into(),
            reason: v1::DecisionReason::Unread.into(),
            ..v1::Decision::default()
        };
        assert_eq!(said(&What::Decided(decision)), "recorded what it claims (not read before)");
    }
}
