//! Whether any sensitive memory may be there that is not sealed: from a time without encryption.

use kimberly_core::error::Result;

use crate::PgStore;
use crate::postgres::conn::{self, Args};
use crate::postgres::rows::Cells;

const ALL_SEALED: &str = "SELECT EXISTS (SELECT 1 FROM all_sealed)";
const KEEP: &str = "INSERT INTO all_sealed (one) VALUES (1) ON CONFLICT DO NOTHING";

impl PgStore {
    /// Whether sensitive memories may be there that are to be sealed and are not. Never without encryption.
    pub async fn may_hold_unsealed(&self) -> Result<bool> {
        if !self.shared.options.keys.are_on() {
            return Ok(false);
        }
        let mut all_sealed = false;
        let mut raw = self.shared.connection().await?;
        let read = |row: &_| {
            all_sealed = Cells::new(row).flag()?;
            Ok(true)
        };
        let asked = conn::for_each(&mut raw, ALL_SEALED.into(), Args::none(), read).await;
        asked.map_err(|failure| failure.into_error("asking whether all is sealed"))?;
        Ok(!all_sealed)
    }

    /// Keeps that none is there, after all vaults were looked through.
    pub async fn nothing_is_unsealed(&self) -> Result<()> {
        let mut raw = self.shared.connection().await?;
        let kept = conn::for_each(&mut raw, KEEP.into(), Args::none(), |_| Ok(true)).await;
        kept.map(drop).map_err(|failure| failure.into_error("keeping that all is sealed"))
    }
}
