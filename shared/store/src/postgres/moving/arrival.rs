//! The end of a move to a database: what was under way where everything came from is taken up.

use kimberly_core::error::Result;

use crate::PgStore;
use crate::postgres::conn::{self, Args};
use crate::postgres::rows::Cells;

const ARRIVED: &str = "SELECT EXISTS (SELECT 1 FROM moves WHERE state = 'arrived')";
const TAKEN_UP: &str = "DELETE FROM moves WHERE state = 'arrived'";

impl PgStore {
    /// Whether everything was moved here, and what was under way was not taken up yet.
    pub async fn has_arrived(&self) -> Result<bool> {
        let mut arrived = false;
        let mut raw = self.shared.connection().await?;
        let read = |row: &_| {
            arrived = Cells::new(row).flag()?;
            Ok(true)
        };
        let asked = conn::for_each(&mut raw, ARRIVED.into(), Args::none(), read).await;
        asked.map_err(|failure| failure.into_error("asking whether everything was moved here"))?;
        Ok(arrived)
    }

    /// Keeps that it was.
    pub async fn is_taken_up(&self) -> Result<()> {
        let mut raw = self.shared.connection().await?;
        let kept = conn::for_each(&mut raw, TAKEN_UP.into(), Args::none(), |_| Ok(true)).await;
        kept.map(drop).map_err(|failure| failure.into_error("keeping that what was moved here is taken up"))
    }
}
