//! Lists credentials.

use crate::access::{CredentialName, ListedCredential};
use crate::error::{Error, Result};
use crate::ports::Credentials;
use crate::usecases::App;
use crate::usecases::page::PageRequest;

/// Which page.
#[derive(Clone, Debug, Default)]
pub struct ListKeysInput {
    /// The page. A token is the name after which it goes on.
    pub page: PageRequest,
}

/// A page of credentials.
#[derive(Clone, Debug)]
pub struct KeysPage {
    /// In the order of their names, revoked ones included.
    pub keys: Vec<ListedCredential>,
    /// Where the next page goes on; empty on the last.
    pub next: String,
}

impl App {
    /// Lists credentials, never with a secret.
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
