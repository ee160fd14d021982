//! Reads one record of consent.

use super::load;
use crate::boxed;
use crate::consent::ConsentRecord;
use crate::error::Result;
use crate::ids::{ConsentId, UserId};
use crate::usecases::App;

impl App {
    /// Returns one record, retracted or not.
    #[boxed]
    pub async fn get_consent(&self, user: &UserId, id: ConsentId) -> Result<ConsentRecord> {
        self.vaults.read(user, move |reader| Box::pin(load(reader, id))).await
    }
}
