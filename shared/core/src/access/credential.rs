//! Credentials as stored: with a hash of the secret, never the secret.

use std::fmt;

use super::grant::is_past;
use super::{ApiKey, CertificateName, CredentialId, Grant};
use crate::bounds::MAX_CREDENTIAL_NAME_BYTES;
use crate::error::{Error, Result};
use crate::memory::names;
use crate::time::Timestamp;

/// Name of the credential in a file of the account that runs the service.
pub const LOCAL_ADMIN: &str = "local-admin";

/// The name of a credential: 1-64 of `a-z 0-9 . _ -`. Logs and audits name the caller by it, so it never changes and
/// is never reused.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CredentialName(String);

impl CredentialName {
    /// Parses a name; the error names the field `name`.
    pub fn parse(raw: &str) -> Result<Self> {
        let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'_' | b'-');
        if raw.is_empty() || raw.len() > MAX_CREDENTIAL_NAME_BYTES || !raw.bytes().all(allowed) {
            let problem = format!("must be 1-{MAX_CREDENTIAL_NAME_BYTES} of the characters a-z, 0-9, `.`, `_` and `-`");
            return Err(Error::invalid("name", problem));
        }
        Ok(Self(raw.to_owned()))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CredentialName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The kind of a credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CredentialKind {
    /// A key that Kimberly issued to a caller.
    ApiKey,
    /// The key in the file of the account that runs the service.
    LocalAdmin,
    /// A name in a certificate issued by an authority that the operator configured.
    Certificate,
}

names!(CredentialKind { ApiKey => "api_key", LocalAdmin => "local_admin", Certificate => "certificate" });

/// A credential as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credential {
    /// The public part of its key.
    pub id: CredentialId,
    /// Name of the credential.
    pub name: CredentialName,
    /// Kind of the credential.
    pub kind: CredentialKind,
    /// SHA-256 of the secret; zeros for a certificate, which has none here.
    pub secret_hash: [u8; 32],
    /// The name in the certificate, if it is one.
    pub certificate: Option<CertificateName>,
    /// Whether its holder is an autonomous program.
    pub agent: bool,
    /// The operations that its holder may perform.
    pub grant: Grant,
    /// When it was created.
    pub created_at: Timestamp,
    /// The creator's name.
    pub created_by: String,
    /// When it expires, if ever.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked, if it was.
    pub revoked_at: Option<Timestamp>,
    /// The hash of the secret before the last rotation, and until when that secret is still accepted.
    pub replaced: Option<([u8; 32], Timestamp)>,
}

impl Credential {
    /// A credential that admits no key. Checking it costs as much as checking a real one.
    pub fn unusable() -> Self {
        let (id, never) = (CredentialId::from_random([0; 8]), Some(Timestamp(i64::MIN)));
        Self {
            id,
            name: CredentialName("nobody".to_owned()),
            kind: CredentialKind::ApiKey,
            secret_hash: [0; 32],
            certificate: None,
            agent: true,
            grant: Grant::nothing(),
            created_at: Timestamp(0),
            created_by: String::new(),
            expires_at: never,
            revoked_at: never,
            replaced: None,
        }
    }

    /// Reports whether it is neither revoked nor expired.
    pub fn is_live(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && !is_past(self.expires_at, now)
    }

    /// Reports whether a key belongs to this credential and is valid now. Compares in constant time.
    pub fn admits(&self, key: &ApiKey, now: Timestamp) -> bool {
        let hash = key.secret_hash();
        let current = same(&hash, &self.secret_hash);
        let replaced = self.replaced.is_some_and(|(replaced, until)| same(&hash, &replaced) && until > now);
        let is_key = self.kind != CredentialKind::Certificate;
        key.id() == self.id && (current | replaced) && is_key && self.is_live(now)
    }

    /// Reports whether a verified certificate of this name belongs to this credential and is valid now.
    pub fn admits_certificate(&self, name: &CertificateName, now: Timestamp) -> bool {
        self.kind == CredentialKind::Certificate && self.certificate.as_ref() == Some(name) && self.is_live(now)
    }
}

/// Reports whether two hashes are equal, in time independent of where they differ.
fn same(one: &[u8; 32], other: &[u8; 32]) -> bool {
    std::hint::black_box(one.iter().zip(other).fold(0, |differ, (a, b)| differ | (a ^ b))) == 0
}

/// A credential in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedCredential {
    /// The credential.
    pub credential: Credential,
    /// When it was last used, to the minute.
    pub last_used_at: Option<Timestamp>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(secret: u8) -> ApiKey {
        ApiKey::new(CredentialId::from_random([7; 8]), [secret; 32])
    }

    fn credential() -> Credential {
        Credential {
            id: key(1).id(),
            name: CredentialName::parse("shop").unwrap(),
            kind: CredentialKind::ApiKey,
            secret_hash: key(1).secret_hash(),
            certificate: None,
            agent: false,
            grant: Grant::everything(),
            created_at: Timestamp(0),
            created_by: "local-admin".to_owned(),
            expires_at: Some(Timestamp(100)),
            revoked_at: None,
            replaced: Some((key(2).secret_hash(), Timestamp(50))),
        }
    }

    #[test]
    fn a_key_is_taken_with_its_secret_until_it_expires_or_is_revoked() {
        let good = credential();
        assert!(good.admits(&key(1), Timestamp(99)));
        assert!(!good.admits(&key(1), Timestamp(100)), "expired at that very moment");
        assert!(!good.admits(&key(3), Timestamp(1)));
        let other = ApiKey::new(CredentialId::from_random([8; 8]), [1; 32]);
        assert!(!good.admits(&other, Timestamp(1)), "the secret under another id");
        let revoked = Credential { revoked_at: Some(Timestamp(5)), ..credential() };
        assert!(!revoked.admits(&key(1), Timestamp(1)) && !revoked.admits(&key(2), Timestamp(1)));
    }

    #[test]
    fn a_certificate_is_accepted_by_name_only_and_no_key_instead() {
        let name = |raw: &str| CertificateName::parse(raw).unwrap();
        let certificate = Some(name("spiffe://a/b"));
        let kept = Credential { kind: CredentialKind::Certificate, certificate, replaced: None, ..credential() };
        assert!(kept.admits_certificate(&name("spiffe://a/b"), Timestamp(99)));
        assert!(!kept.admits_certificate(&name("spiffe://a/B"), Timestamp(99)));
        assert!(!kept.admits_certificate(&name("spiffe://a/b"), Timestamp(100)), "expired");
        let revoked = Credential { revoked_at: Some(Timestamp(5)), ..kept.clone() };
        assert!(!revoked.admits_certificate(&name("spiffe://a/b"), Timestamp(9)));
        assert!(!kept.admits(&key(1), Timestamp(1)), "a key under its id");
        let keyed = Credential { kind: CredentialKind::ApiKey, ..kept };
        assert!(!keyed.admits_certificate(&name("spiffe://a/b"), Timestamp(1)));
    }

    #[test]
    fn an_unusable_credential_admits_no_key() {
        let nobody = Credential::unusable();
        for key in [key(1), ApiKey::new(nobody.id, [0; 32])] {
            assert!(!nobody.admits(&key, Timestamp(0)) && !nobody.admits(&key, Timestamp(i64::MIN)));
        }
    }

    #[test]
    fn a_replaced_secret_is_taken_for_the_overlap() {
        let rotated = credential();
        assert!(rotated.admits(&key(2), Timestamp(49)));
        assert!(!rotated.admits(&key(2), Timestamp(50)));
    }

    #[test]
    fn names_and_ids_are_held_to_their_alphabet() {
        for good in ["a", "shop.app-1_x", "0123456789abcdef", &"x".repeat(64)] {
            assert!(CredentialName::parse(good).is_ok(), "{good}");
        }
        for wrong in ["", "A", "a b", "ä", "a\u{1}", "a/b", "a:b", &"x".repeat(65)] {
            assert!(CredentialName::parse(wrong).is_err(), "{wrong}");
        }
        assert_eq!(CredentialId::from_random([0, 1, 0x2f, 0xff, 0xa0, 5, 6, 7]).as_str(), "00012fffa0050607");
        for wrong in ["", "0123456789abcde", "0123456789abcdef0", "0123456789abcdeF", "0123456789abcdeg"] {
            assert!(CredentialId::parse(wrong).is_none(), "{wrong}");
        }
    }
}
