//! Records of consent: grant, get, list, retract, import, and the erasure that a retraction leaves to do; one file each.

mod erase;
mod get;
mod grant;
mod import;
mod list;
mod retract;

pub(crate) use erase::erase_some;
pub use grant::{GrantConsentInput, Granted};
pub use import::ConsentsImported;
pub use list::{ConsentPage, ListConsentsInput};
pub use retract::{RetractConsentInput, Retracted};

use crate::consent::ConsentRecord;
use crate::error::{Error, Result};
use crate::ids::ConsentId;
use crate::ports::{ConsentQuery, VaultReader};

/// Loads one record, or fails with [`Error::NotFound`].
async fn load(reader: &mut dyn VaultReader, id: ConsentId) -> Result<ConsentRecord> {
    let found = reader.consents(&ConsentQuery::Ids(vec![id])).await?;
    found.into_iter().next().ok_or_else(|| Error::consent_not_found(id))
}
