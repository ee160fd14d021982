//! Reads the name in a client's certificate. rustls has verified the certificate before: its authority, its validity
//! period, its use by clients, and that the client has its key.
//!
//! The name is the only URI among the certificate's alternative names or, if there is no URI, its only DNS name. A
//! certificate with several of the deciding kind, or with neither, has no name. The common name is ignored.

use kimberly_core::access::CertificateName;
use kimberly_core::time::{Span, Timestamp};
use tokio_rustls::rustls::pki_types::CertificateDer;
use x509_cert::certificate::{CertificateInner, Raw};
use x509_cert::der::Decode as _;
use x509_cert::ext::pkix::SubjectAltName;
use x509_cert::ext::pkix::name::GeneralName;

/// A certificate without the crate's own rules, such as at most 20 bytes of serial number: rustls has accepted it.
pub(super) type Certificate = CertificateInner<Raw>;

/// The client of a connection that presented a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Peer {
    /// The name in the certificate. `None` unless there is exactly one.
    pub(crate) name: Option<CertificateName>,
    /// When the certificate expires.
    pub(crate) ends_at: Timestamp,
}

impl Peer {
    /// Reads a verified certificate. An unreadable one has no name and counts as expired.
    pub(crate) fn of(certificate: &CertificateDer<'_>) -> Self {
        read(certificate).unwrap_or(Self { name: None, ends_at: Timestamp(i64::MIN) })
    }
}

/// When a certificate expires.
pub(super) fn end(certificate: &Certificate) -> Timestamp {
    let seconds = certificate.tbs_certificate().validity().not_after.to_unix_duration().as_secs();
    Timestamp(0).plus(Span::seconds(i64::try_from(seconds).unwrap_or(i64::MAX)))
}

fn read(certificate: &[u8]) -> Option<Peer> {
    let parsed = Certificate::from_der(certificate).ok()?;
    let ends_at = end(&parsed);
    // An extension that occurs twice or is malformed gives no name.
    let Ok(names) = parsed.tbs_certificate().get_extension::<SubjectAltName>() else {
        return Some(Peer { name: None, ends_at });
    };
    let names = names.map(|(_, names)| names.0).unwrap_or_default();
    let uris = names.iter().filter_map(|name| match name {
        GeneralName::UniformResourceIdentifier(uri) => Some(uri.as_str()),
        _ => None,
    });
    let hosts = names.iter().filter_map(|name| match name {
        GeneralName::DnsName(host) => Some(host.as_str()),
        _ => None,
    });
    let name = match one(uris) {
        Found::One(uri) => CertificateName::uri(uri),
        Found::None => match one(hosts) {
            Found::One(host) => CertificateName::dns(host),
            Found::None | Found::Several => None,
        },
        Found::Several => None,
    };
    Some(Peer { name, ends_at })
}

enum Found<'n> {
    None,
    One(&'n str),
    Several,
}

fn one<'n>(mut names: impl Iterator<Item = &'n str>) -> Found<'n> {
    match (names.next(), names.next()) {
        (None, _) => Found::None,
        (Some(name), None) => Found::One(name),
        (Some(_), Some(_)) => Found::Several,
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, DnType, KeyPair, SanType, SerialNumber, date_time_ymd};

    use super::*;

    fn uri(text: &str) -> SanType {
        SanType::URI(text.try_into().unwrap())
    }

    fn dns(text: &str) -> SanType {
        SanType::DnsName(text.try_into().unwrap())
    }

    fn named(names: Vec<SanType>) -> Option<String> {
        let mut params = CertificateParams::default();
        params.subject_alt_names = names;
        params.distinguished_name.push(DnType::CommonName, "common.example.org");
        let key = KeyPair::generate().unwrap();
        Peer::of(params.self_signed(&key).unwrap().der()).name.map(|name| name.to_string())
    }

    #[test]
    fn the_one_uri_names_it_or_else_the_one_dns_name_and_nothing_else_does() {
        let spiffe = "spiffe://example.org/Agent";
        assert_eq!(named(vec![uri(spiffe)]).as_deref(), Some(spiffe));
        assert_eq!(named(vec![dns("a.example.org"), uri(spiffe), dns("b.example.org")]).as_deref(), Some(spiffe));
        assert_eq!(named(vec![dns("A.Example.org")]).as_deref(), Some("a.example.org"));
        let email = || SanType::Rfc822Name("a@example.org".try_into().unwrap());
        let address = || SanType::IpAddress([127, 0, 0, 1].into());
        assert_eq!(named(vec![email(), dns("a.example.org"), address()]).as_deref(), Some("a.example.org"));
        let nobody = [
            vec![],
            vec![email(), address()],
            vec![uri(spiffe), uri("spiffe://example.org/other")],
            vec![uri(spiffe), uri(spiffe)],
            vec![uri("spiffe://a/b"), uri("x:y"), dns("a.example.org")],
            vec![dns("a.example.org"), dns("b.example.org")],
            vec![dns("*.example.org")],
            vec![uri("no uri"), dns("a.example.org")],
            vec![uri(&format!("x:{}", "y".repeat(254)))],
        ];
        for names in nobody {
            assert_eq!(named(names.clone()), None, "{names:?}");
        }
    }

    #[test]
    fn end_of_a_certificate_is_read_and_what_is_no_certificate_has_ended() {
        let mut params = CertificateParams::default();
        params.not_after = date_time_ymd(2031, 2, 3);
        let certificate = params.self_signed(&KeyPair::generate().unwrap()).unwrap();
        assert_eq!(Peer::of(certificate.der()).ends_at, Timestamp(0).plus(Span::seconds(1_927_843_200)));
        // More than the 20 bytes that RFC 5280 allows, which some authorities use and rustls accepts.
        params.serial_number = Some(SerialNumber::from_slice(&[0x5a; 32]));
        params.subject_alt_names = vec![uri("spiffe://example.org/long")];
        let long = Peer::of(params.self_signed(&KeyPair::generate().unwrap()).unwrap().der());
        assert_eq!(long.ends_at, Timestamp(0).plus(Span::seconds(1_927_843_200)));
        assert_eq!(long.name.map(|name| name.to_string()).as_deref(), Some("spiffe://example.org/long"));
        let cut = certificate.der().get(..40).unwrap().to_vec();
        assert_eq!(Peer::of(&cut.into()), Peer { name: None, ends_at: Timestamp(i64::MIN) });
    }
}
