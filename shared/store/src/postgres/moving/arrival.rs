//! The end of a move to a database: interrupted work of the source is resumed.

use kimberly_core::error::Result;

use crate::PgStore;
use crate::postgres::conn::Args;
use crate::postgres::rows::{Cells, ReadRow as _};

const ARRIVED: &str = "SELECT EXISTS (SELECT 1 FROM moves WHERE state = 'arrived')";
const TAKEN_UP: &str = "DELETE FROM moves WHERE state = 'arrived'";

impl PgStore {
    /// Reports whether everything was moved here but interrupted work was not resumed yet.
    pub async fn has_arrived(&self) -> Result<bool> {
        let read = |row: &_| Cells::new(row).flag();
        let asked = self.shared.row("checking whether the migration is complete", ARRIVED, Args::none(), read);
        Ok(asked.await?.unwrap_or_default())
    }

    /// Records that the work was resumed.
    pub async fn is_taken_up(&self) -> Result<()> {
        self.shared.run("recording that migrated work was queued", TAKEN_UP, Args::none()).await.map(drop)
    }
}
