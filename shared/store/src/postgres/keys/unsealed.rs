//! Whether any sensitive memory may be there that is not sealed: from a time without encryption.

use kimberly_core::error::Result;

use crate::PgStore;
use crate::postgres::conn::Args;
use crate::postgres::rows::Cells;

const ALL_SEALED: &str = "SELECT EXISTS (SELECT 1 FROM all_sealed)";
const KEEP: &str = "INSERT INTO all_sealed (one) VALUES (1) ON CONFLICT DO NOTHING";

impl PgStore {
    /// Whether sensitive memories may be there that are to be sealed and are not. Never without encryption.
    pub async fn may_hold_unsealed(&self) -> Result<bool> {
        if !self.shared.options.keys.are_on() {
            return Ok(false);
        }
        let read = |row: &_| Cells::new(row).flag();
        let all_sealed = self.shared.row("asking whether all is sealed", ALL_SEALED, Args::none(), read).await?;
        Ok(!all_sealed.unwrap_or_default())
    }

    /// Keeps that none is there, after all vaults were looked through.
    pub async fn nothing_is_unsealed(&self) -> Result<()> {
        self.shared.run("keeping that all is sealed", KEEP, Args::none()).await.map(drop)
    }
}
