//! SQL of postponed writes: stored answers, and the counter of changes for recall.

use crate::chosen;
use crate::sqlite::conn::Args;
use crate::sqlite::notes::PutOff;

const REQUEST: &str = "INSERT OR REPLACE INTO requests (id, fingerprint, answer, at) VALUES (?, ?, ?, ?);";
const RECALL_CHANGED: &str = "UPDATE counters SET items = items + 1 WHERE slot = 12;";

/// Appends the postponed statements, except for the audit.
pub(crate) fn push_put_off(sql: &mut String, args: &mut Args, put_off: &PutOff) {
    for record in &put_off.requests {
        sql.push_str(REQUEST);
        args.push(chosen::hashed(&record.request_id));
        args.push(record.fingerprint.to_vec());
        args.push(record.answer.clone());
        args.push(record.at.0);
    }
    if put_off.recall_changed {
        sql.push_str(RECALL_CHANGED);
    }
}
