//! Lists credentials.

use crate::access::{CredentialName, ListedCredential};
use crate::boxed;
use crate::error::{Error, Result};
use crate::ports::Credentials;
use crate::usecases::App;
use crate::usecases::page::PageRequest;

/// The page to list.
#[derive(Clone, Debug, Default)]
pub struct ListKeysInput {
    /// The page. Its token is the name to continue after.
    pub page: PageRequest,
}

/// A page of credentials.
#[derive(Clone, Debug)]
pub struct KeysPage {
    /// Credentials in the order of their names, revoked ones included.
    pub keys: Vec<ListedCredential>,
    /// Token of the next page; empty on the last one.
    pub next: String,
}

impl App {
    /// Lists credentials, without their secrets.
    #[boxed]
    pub async fn list_keys(&self, credentials: &dyn Credentials, input: ListKeysInput) -> Result<KeysPage> {
        let limit = input.page.limit()?;
        let after = match input.page.token.as_str() {
            "" => None,
            token => Some(CredentialName::parse(token).map_err(|_| Error::InvalidPageToken)?),
        };
        let mut keys = credentials.list(after.as_ref(), limit + 1).await?;
        let more = keys.len() > limit;
        keys.truncate(limit);
        let last = keys.last().filter(|_| more);
        let next = last.map_or_else(String::new, |listed| listed.credential.name.to_string());
        Ok(KeysPage { keys, next })
    }
}
