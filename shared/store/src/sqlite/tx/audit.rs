//! What was put off until the end of the work: audit rows, kept answers, the mark that recall must look again.

use crate::sqlite::conn::Args;
use crate::sqlite::notes::Notes;
use crate::sqlite::rows::unsigned;

const AUDIT: &str = "INSERT INTO audit (at, actor, action, subject, count) VALUES (?, ?, ?, ?, ?);";
const REQUEST: &str = "INSERT OR REPLACE INTO requests (id, fingerprint, answer, at) VALUES (?, ?, ?, ?);";
const RECALL_CHANGED: &str = "UPDATE counters SET items = items + 1 WHERE slot = 12;";

/// Adds the statements that were put off, and forgets them.
pub(crate) fn push_put_off(sql: &mut String, args: &mut Args, notes: &mut Notes) {
    for entry in notes.audits.drain(..) {
        sql.push_str(AUDIT);
        args.push(entry.at.0);
        args.push(entry.actor);
        args.push(entry.action);
        args.push(entry.subject);
        args.push(unsigned(entry.count));
    }
    for record in notes.requests.drain(..) {
        sql.push_str(REQUEST);
        args.push(record.request_id);
        args.push(record.fingerprint.to_vec());
        args.push(record.answer);
        args.push(record.at.0);
    }
    if std::mem::take(&mut notes.recall_changed) {
        sql.push_str(RECALL_CHANGED);
    }
}
