//! Reads what every write needs to know, in one statement; also settings alone. Counters are known from the
//! transaction's begin.

use kimberly_core::error::Result;
use kimberly_core::ids::MeditationId;
use kimberly_core::ports::{PriorRequest, WriteContext};
use kimberly_core::settings::StoredSettings;

use crate::chosen;
use crate::postgres::conn::Conn;
use crate::postgres::filter::is_storable;
use crate::postgres::rows::{Cells, ReadRow as _};
use crate::rows::stored_settings;

/// Returns one row even if the user has no vault.
const CONTEXT: &str = "SELECT v.settings, coalesce(v.settings_revision, 0), \
     ARRAY(SELECT body FROM goals WHERE user_id = $1 AND status = 'active' ORDER BY created_at, id), \
     (SELECT id FROM meditations \
             WHERE user_id = $1 AND status = 'scheduled' AND started_by IN ('schedule', 'quota', 'request') AND asked IS NULL ORDER BY no LIMIT 1), \
     r.fingerprint, r.answer \
     FROM (SELECT 1) one LEFT JOIN vaults v ON v.user_id = $1 LEFT JOIN requests r ON r.user_id = $1 AND r.id IN ($2, $3)";
const SETTINGS: &str = "SELECT settings, settings_revision FROM vaults WHERE user_id = $1";

pub(super) async fn write_context(conn: &mut Conn, request_id: Option<&str>) -> Result<WriteContext> {
    let usage = conn.head.usage()?;
    // Older releases stored the id itself.
    let before = request_id.filter(|id| is_storable(id)).map(str::to_owned);
    let args = conn.args().with(request_id.map(chosen::hashed)).with(before);
    let found = conn
        .row("reading the write context", CONTEXT, args, |row| {
            let c = &mut Cells::new(row);
            let settings = stored_settings(c)?;
            let goals = c.texts()?.iter().map(|body| super::goals::from_json(body)).collect::<Result<_>>()?;
            let waiting_meditation = c.opt_uuid()?.map(MeditationId);
            let (fingerprint, answer) = (c.opt_digest()?, c.opt_text()?);
            let prior = fingerprint.zip(answer).map(|(fingerprint, answer)| PriorRequest { fingerprint, answer });
            Ok(WriteContext { settings, usage: usage.clone(), goals, prior, waiting_meditation })
        })
        .await?;
    Ok(found.unwrap_or_default())
}

pub(super) async fn settings(conn: &mut Conn) -> Result<StoredSettings> {
    let args = conn.args();
    let found = conn.row("reading settings", SETTINGS, args, |row| stored_settings(&mut Cells::new(row))).await?;
    Ok(found.unwrap_or_default())
}
