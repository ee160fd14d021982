//! Access control: callers, their grants, and the decision about a call.
//!
//! Authentication creates a [`Caller`]. The caller's permissions come from its [`Grant`], never from a request. A
//! call's [`Rule`] states its operation and how far it reaches; [`decide`] combines the two. A grant may be limited
//! to some memories of its users, its [`Rows`]: [`CallerVaults`] then hide all others from every use case.

mod caller_vaults;
mod certificate;
mod claims;
mod credential;
mod credential_id;
mod decide;
mod grant;
mod key;
mod operation;
mod patterns;
mod rows;
mod rule;

use std::fmt;
use std::sync::Arc;

pub use caller_vaults::CallerVaults;
pub use certificate::CertificateName;
pub use claims::ClaimedGrant;
pub use credential::{Credential, CredentialKind, CredentialName, LOCAL_ADMIN, ListedCredential};
pub use credential_id::CredentialId;
pub use decide::{Refusal, decide};
pub use grant::Grant;
pub use key::{ApiKey, KEY_PREFIX, KeySecret, SECRET_BYTES};
pub use operation::{Operation, Operations};
pub use patterns::{UserPattern, UserPatterns};
pub use rows::Rows;
pub use rule::{Reach, Rule};

use crate::memory::{Creator, MemoryDraft};
use crate::time::Timestamp;

/// How a caller was authenticated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallerKind {
    /// Not at all: the server requires no credential.
    Open,
    /// By a key whose hash Kimberly stores.
    Key(CredentialId),
    /// By a certificate whose name Kimberly stores.
    Certificate(CredentialId),
    /// By a token signed by an issuer.
    Token,
}

/// The caller of a request. Its permissions come only from its credential.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The name of the credential, which is never reused; `jwt:` and the subject for a token; `open` without a credential.
    pub name: Arc<str>,
    /// How the caller was authenticated.
    pub kind: CallerKind,
    /// Whether the caller is an autonomous program: what it stores counts as created by an agent.
    pub agent: bool,
    /// The caller's permissions.
    pub grant: Arc<Grant>,
    /// When its credential expires, if ever.
    pub expires_at: Option<Timestamp>,
}

impl Caller {
    /// Returns the caller that holds a credential.
    pub fn of(credential: &Credential) -> Self {
        Self {
            name: credential.name.as_str().into(),
            kind: match credential.kind {
                CredentialKind::ApiKey | CredentialKind::LocalAdmin => CallerKind::Key(credential.id),
                CredentialKind::Certificate => CallerKind::Certificate(credential.id),
            },
            agent: credential.agent,
            grant: Arc::new(credential.grant.clone()),
            expires_at: credential.expires_at,
        }
    }

    /// Returns the caller of a server that requires no credential: it may do everything.
    pub fn open() -> Self {
        let grant = Arc::new(Grant::everything());
        Self { name: "open".into(), kind: CallerKind::Open, agent: false, grant, expires_at: None }
    }

    /// Reports whether the caller was authenticated by the key of this name.
    pub fn is_key_named(&self, name: &str) -> bool {
        matches!(self.kind, CallerKind::Key(_)) && &*self.name == name
    }

    /// Adapts a draft to this caller: an agent's memories are marked as created by an agent, whatever the draft says, and a
    /// draft without a namespace gets the caller's namespace if the grant has exactly one.
    #[must_use]
    pub fn draft(&self, mut draft: MemoryDraft) -> MemoryDraft {
        if self.agent {
            draft.created_by = Creator::Agent;
        }
        draft.namespace = self.namespace(draft.namespace);
        draft
    }

    /// Returns the namespace to store in: the named one, or without a name the only one that the caller reaches.
    pub fn namespace(&self, named: String) -> String {
        let only = self.grant.rows.only_namespace().filter(|_| named.trim().is_empty());
        only.map_or(named, str::to_owned)
    }

    /// Author name stored with the memories this caller creates; empty without a credential and for [`LOCAL_ADMIN`].
    pub fn author(&self) -> &str {
        let named = self.kind != CallerKind::Open && &*self.name != LOCAL_ADMIN;
        if named { &self.name } else { "" }
    }

    /// Returns the caller's name in the audit.
    pub fn actor(&self) -> Arc<str> {
        match self.kind {
            _ if self.agent => format!("agent:{}", self.name).into(),
            CallerKind::Open | CallerKind::Token => Arc::clone(&self.name),
            CallerKind::Key(_) => format!("key:{}", self.name).into(),
            CallerKind::Certificate(_) => format!("cert:{}", self.name).into(),
        }
    }

    /// Returns the key under which request ids and imports are stored. Callers with credentials each have their own
    /// keys, so that none can see or replay another's requests; callers without credentials share theirs. The
    /// separator is a control character, which ids chosen by callers never contain.
    pub fn scoped(&self, id: &str) -> String {
        match self.kind {
            CallerKind::Open => id.to_owned(),
            CallerKind::Key(_) | CallerKind::Certificate(_) | CallerKind::Token => format!("{}\u{1}{id}", self.name),
        }
    }
}

impl fmt::Display for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}
