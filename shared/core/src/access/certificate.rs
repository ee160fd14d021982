//! The identity in a client certificate.

use std::fmt;

use crate::bounds::MAX_CERTIFICATE_NAME_BYTES;
use crate::error::{Error, Result};

/// The name in a certificate: a URI such as `spiffe://example.org/agent`, compared byte by byte, or else a DNS name
/// in lower case. Only URIs contain a colon, so neither can be mistaken for the other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CertificateName(String);

impl CertificateName {
    /// Parses a name as an operator writes it; the error names the field `certificate`.
    pub fn parse(raw: &str) -> Result<Self> {
        let problem = || {
            Error::invalid(
                "certificate",
                format!(
                    "must be the certificate's one URI, such as spiffe://example.org/agent, else its one DNS name; at most \
                     {MAX_CERTIFICATE_NAME_BYTES} printable ASCII characters without spaces"
                ),
            )
        };
        let name = if raw.contains(':') { Self::uri(raw) } else { Self::dns(raw) };
        name.ok_or_else(problem)
    }

    /// Parses a URI: a scheme, a colon and a rest, in printable ASCII without spaces.
    pub fn uri(raw: &str) -> Option<Self> {
        let (scheme, rest) = raw.split_once(':')?;
        let fits = raw.len() <= MAX_CERTIFICATE_NAME_BYTES && raw.bytes().all(|b| b.is_ascii_graphic());
        let begins = scheme.starts_with(|c: char| c.is_ascii_alphabetic());
        let is_scheme = begins && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
        (fits && is_scheme && !rest.is_empty()).then(|| Self(raw.to_owned()))
    }

    /// Parses a DNS name in any case: labels of letters, digits, `-` and `_`, without wildcard and without a trailing dot.
    pub fn dns(raw: &str) -> Option<Self> {
        let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
        let is_label = |label: &str| (1..=63).contains(&label.len()) && label.bytes().all(allowed);
        let fits = raw.len() <= MAX_CERTIFICATE_NAME_BYTES && raw.split('.').all(is_label);
        fits.then(|| Self(raw.to_ascii_lowercase()))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CertificateName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_are_taken_as_they_are_and_dns_names_in_lower_case() {
        for uri in ["spiffe://example.org/agent", "spiffe://Example.org/A", "urn:uuid:1", "https://a.example/?x#y"] {
            assert_eq!(CertificateName::parse(uri).unwrap().as_str(), uri);
        }
        assert_eq!(CertificateName::parse("Agent-1.Example.ORG").unwrap().as_str(), "agent-1.example.org");
        assert_eq!(CertificateName::parse("agent").unwrap().as_str(), "agent");
        let longest = format!("a:{}", "x".repeat(MAX_CERTIFICATE_NAME_BYTES - 2));
        assert!(CertificateName::parse(&longest).is_ok() && CertificateName::parse(&format!("{longest}x")).is_err());
    }

    #[test]
    fn names_that_no_certificate_can_have_are_refused() {
        for wrong in [
            "",
            " ",
            ":",
            "a:",
            ":a",
            "1a:b",
            "a b:c",
            "a:b c",
            "a:\u{e9}",
            "a:\u{1}",
            "*.example.org",
            "a..b",
            "a.",
            "é.org",
        ] {
            let error = CertificateName::parse(wrong).unwrap_err();
            assert!(matches!(&error, Error::Invalid(v) if v[0].field == "certificate"), "{wrong}: {error}");
        }
        assert!(CertificateName::dns("a:b").is_none() && CertificateName::uri("a.b").is_none());
        assert!(CertificateName::dns(&"a".repeat(64)).is_none());
    }
}
