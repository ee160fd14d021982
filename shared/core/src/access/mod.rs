//! Who may do what: callers, what they were granted, and the one decision.
//!
//! A [`Caller`] is made where a call is authenticated. What it may do stands in its [`Grant`] and never in a request. Which
//! operation a call is, and how far it reaches, stands in its [`Rule`]; [`decide`] puts the two together. A grant may be
//! limited to some memories of its users, its [`Rows`]: then [`CallerVaults`] hide the others from every use case.

mod caller_vaults;
mod certificate;
mod claims;
mod credential;
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
pub use credential::{Credential, CredentialId, CredentialKind, CredentialName, LOCAL_ADMIN, ListedCredential};
pub use decide::{Refusal, decide};
pub use grant::Grant;
pub use key::{ApiKey, KEY_PREFIX, KeySecret, SECRET_BYTES};
pub use operation::{Operation, Operations};
pub use patterns::{UserPattern, UserPatterns};
pub use rows::Rows;
pub use rule::{Reach, Rule};

use crate::memory::{Creator, MemoryDraft};
use crate::time::Timestamp;

/// How a caller was recognized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallerKind {
    /// Not at all: the server asks for no credential.
    Open,
    /// By a key that Kimberly keeps the hash of.
    Key(CredentialId),
    /// By a certificate whose name Kimberly keeps.
    Certificate(CredentialId),
    /// By a token that an issuer signed.
    Token,
}

/// Who makes a call. What it may do comes from its credential alone.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The name of the credential, which is never given to another one; `jwt:` and the subject of a token; `open` without
    /// any.
    pub name: Arc<str>,
    /// How it was recognized.
    pub kind: CallerKind,
    /// Whether it is a program that acts by itself: what it stores counts as made by an agent.
    pub agent: bool,
    /// What it may do.
    pub grant: Arc<Grant>,
    /// When its credential ends by itself, if ever.
    pub expires_at: Option<Timestamp>,
}

impl Caller {
    /// The holder of a credential.
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

    /// Any caller of a server that asks for no credential: may do everything.
    pub fn open() -> Self {
        let grant = Arc::new(Grant::everything());
        Self { name: "open".into(), kind: CallerKind::Open, agent: false, grant, expires_at: None }
    }

    /// Whether it is recognized by the key of this name.
    pub fn is_key_named(&self, name: &str) -> bool {
        matches!(self.kind, CallerKind::Key(_)) && &*self.name == name
    }

    /// A draft as it is stored for this caller: what an agent stores was created by an agent, whatever it says, and what
    /// names no namespace goes to the one that the caller reaches, if it is just one.
    #[must_use]
    pub fn draft(&self, mut draft: MemoryDraft) -> MemoryDraft {
        if self.agent {
            draft.created_by = Creator::Agent;
        }
        draft.namespace = self.namespace(draft.namespace);
        draft
    }

    /// The namespace that something is kept in: the only one of a caller that reaches no other, unless another one is named.
    pub fn namespace(&self, named: String) -> String {
        let only = self.grant.rows.only_namespace().filter(|_| named.trim().is_empty());
        only.map_or(named, str::to_owned)
    }

    /// As memories name it that it creates; empty without a credential, and for the one that every installation has.
    pub fn author(&self) -> &str {
        let named = self.kind != CallerKind::Open && &*self.name != LOCAL_ADMIN;
        if named { &self.name } else { "" }
    }

    /// How the audit names it.
    pub fn actor(&self) -> Arc<str> {
        match self.kind {
            _ if self.agent => format!("agent:{}", self.name).into(),
            CallerKind::Open | CallerKind::Token => Arc::clone(&self.name),
            CallerKind::Key(_) => format!("key:{}", self.name).into(),
            CallerKind::Certificate(_) => format!("cert:{}", self.name).into(),
        }
    }

    /// Under whose name request ids and imports are kept: callers with credentials each have their own, so that nobody
    /// learns or replays what another asked; callers without any share theirs. Never part of any id that a caller chose,
    /// as those hold no control characters.
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
