//! The end of a move to a database: what was under way where everything came from is taken up.

use kimberly_core::error::Result;

use crate::PgStore;
use crate::postgres::conn::Args;
use crate::postgres::rows::Cells;

const ARRIVED: &str = "SELECT EXISTS (SELECT 1 FROM moves WHERE state = 'arrived')";
const TAKEN_UP: &str = "DELETE FROM moves WHERE state = 'arrived'";

impl PgStore {
    /// Whether everything was moved here, and what was under way was not taken up yet.
    pub async fn has_arrived(&self) -> Result<bool> {
        let read = |row: &_| Cells::new(row).flag();
        let asked = self.shared.row("asking whether everything was moved here", ARRIVED, Args::none(), read);
        Ok(asked.await?.unwrap_or_default())
    }

    /// Keeps that it was.
    pub async fn is_taken_up(&self) -> Result<()> {
        self.shared.run("keeping that what was moved here is taken up", TAKEN_UP, Args::none()).await.map(drop)
    }
}
