//! Tokens, the keys of their issuer, and certificates: those that the server trusts, and those that it presents.

use std::cell::RefCell;
use std::sync::LazyLock;

use kimberly_api::fuzzing;
use kimberly_core::Timestamp;
use kimberly_core::access::CertificateName;
use kimberly_core::audit::{
    AuditHead, AuditRecord, Checkpoint, SignedCheckpoint, anchor, anchor_subject, pack, unpack,
};
use tempfile::TempDir;

use super::text;
use crate::Target;

const HEADER: &[u8] = br#"{"alg":"EdDSA","kid":"ed","typ":"JWT"}"#;

pub(super) const TARGETS: &[Target] = &[
    Target { name: "checkpoint", about: "a signed checkpoint of an audit", seeds: checkpoints, run: checkpoint },
    Target { name: "audit_segment", about: "packed entries of an audit", seeds: segments, run: segment },
    Target { name: "jwt", about: "a token as it is sent", seeds: tokens, run: token },
    Target { name: "jwt_header", about: "the header of a token, signed by the issuer", seeds: headers, run: header },
    Target { name: "jwt_claims", about: "the claims of a token, signed by the issuer", seeds: claims, run: claim },
    Target { name: "jwk_set", about: "the issuer's keys", seeds: sets, run: fuzzing::jwk_set },
    Target {
        name: "client_certificate",
        about: "whom a client's certificate names, in DER",
        seeds: client_certificates,
        run: client_certificate,
    },
    Target { name: "certificate", about: "a chain of certificates in PEM", seeds: chains, run: chain },
    Target { name: "private_key", about: "a private key in PEM", seeds: private_keys, run: private_key },
];

fn checkpoints() -> Vec<Vec<u8>> {
    let checkpoint = Checkpoint {
        log: format!("vault:{}", "ab".repeat(32)),
        head: AuditHead { no: 4_711, hash: [0xcd; 32] },
        at: Timestamp(1_763_766_000_000_001),
    };
    let signed = SignedCheckpoint { checkpoint, key_id: "0123456789abcdef".to_owned(), signature: [0xef; 64] };
    vec![signed.to_text().into_bytes()]
}

fn segments() -> Vec<Vec<u8>> {
    let entry = |n: u64| AuditRecord {
        no: n,
        at: Timestamp(n.cast_signed()),
        actor: "key:shop".to_owned(),
        action: "memory.create".to_owned(),
        refused: n.is_multiple_of(2).then(|| "STORAGE_FULL".to_owned()),
        subject: n.is_multiple_of(3).then(|| format!("mem_{n}")),
        count: 1,
        hash: [7; 32],
    };
    vec![pack(&[]), pack(&[entry(1)]), pack(&(1..9).map(entry).collect::<Vec<_>>())]
}

fn segment(bytes: &[u8]) {
    if let Some(entries) = unpack(bytes) {
        assert_eq!(pack(&entries), bytes, "entries have one packing");
    }
}

fn checkpoint(bytes: &[u8]) {
    let Some(Ok(signed)) = text(bytes).map(SignedCheckpoint::parse) else { return };
    let again = SignedCheckpoint::parse(&signed.to_text()).expect("what was written is read");
    assert_eq!(again, signed, "a checkpoint says one thing");
    assert_eq!(again.checkpoint.message(), signed.checkpoint.message());
    if let Some((log, head)) = text(bytes).and_then(anchor) {
        assert_eq!(anchor(&anchor_subject(log, &head)), Some((log, head)));
    }
}

/// A valid token.
static TOKEN: LazyLock<String> = LazyLock::new(|| fuzzing::signed(HEADER, fuzzing::claims().as_bytes()));

fn tokens() -> Vec<Vec<u8>> {
    vec![TOKEN.clone().into_bytes()]
}

fn token(bytes: &[u8]) {
    let Some(raw) = text(bytes) else { return };
    // Only the valid token itself is accepted.
    assert_eq!(fuzzing::token(raw), raw == *TOKEN, "{raw:?}");
}

fn headers() -> Vec<Vec<u8>> {
    vec![
        HEADER.to_vec(),
        br#"{"alg":"none","kid":"ed"}"#.to_vec(),
        br#"{"alg":"HS256","kid":"ed","crit":["b64"]}"#.to_vec(),
    ]
}

fn header(bytes: &[u8]) {
    let good = fuzzing::token(&fuzzing::signed(bytes, fuzzing::claims().as_bytes()));
    let says = |word: &str| text(bytes).is_some_and(|text| text.contains(word));
    assert!(!good || (says("EdDSA") && says("ed")), "{:?} names no key of the issuer", text(bytes));
}

fn claims() -> Vec<Vec<u8>> {
    vec![fuzzing::claims().into_bytes()]
}

fn claim(bytes: &[u8]) {
    let good = fuzzing::token(&fuzzing::signed(HEADER, bytes));
    // Unread fields may hold anything.
    let text = String::from_utf8_lossy(bytes);
    let says =
        |word: &str| serde_json::from_str::<serde_json::Value>(&text).is_ok_and(|json| json.to_string().contains(word));
    assert!(!good || (says("https://idp.example.com") && says("kimberly")), "claims of another issuer were taken");
}

fn sets() -> Vec<Vec<u8>> {
    vec![
        fuzzing::a_jwk_set().into_bytes(),
        br#"{"keys":[]}"#.to_vec(),
        br#"{"keys":[{"kty":"RSA","kid":"r","n":"gICAgICA","e":"AQAB"},{"kty":"EC","crv":"P-256","kid":"e","x":"AQ","y":"Ag"}]}"#
            .to_vec(),
    ]
}

fn client_certificates() -> Vec<Vec<u8>> {
    let uri = rcgen::SanType::URI("spiffe://example.org/agent".try_into().expect("a URI"));
    let dns = || rcgen::SanType::DnsName("Agent.example.org".try_into().expect("a name"));
    let made = [vec![uri, dns()], vec![dns()], vec![]].map(|names| {
        let mut params = rcgen::CertificateParams::default();
        params.subject_alt_names = names;
        let key = rcgen::KeyPair::generate().expect("a key");
        params.self_signed(&key).expect("a certificate").der().to_vec()
    });
    made.into()
}

fn client_certificate(bytes: &[u8]) {
    let Some(name) = fuzzing::client_certificate(bytes) else { return };
    let parsed = CertificateName::parse(&name).expect("whom a certificate names can be registered");
    assert_eq!(parsed.as_str(), name, "a name has one spelling");
    let spelled = bytes.windows(name.len()).any(|part| part.eq_ignore_ascii_case(name.as_bytes()));
    assert!(spelled, "{name:?} stands nowhere in the certificate");
}

struct Pair {
    folder: TempDir,
    certificate: String,
    key: String,
}

thread_local! {
    /// A valid pair, and this thread's folder for the files that are read.
    static PAIR: RefCell<Option<Pair>> = const { RefCell::new(None) };
}

fn with_pair<T>(use_it: impl FnOnce(&Pair) -> T) -> T {
    PAIR.with_borrow_mut(|pair| {
        let pair = pair.get_or_insert_with(|| {
            let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
            Pair {
                folder: tempfile::tempdir().expect("a folder"),
                certificate: made.cert.pem(),
                key: made.signing_key.serialize_pem(),
            }
        });
        use_it(pair)
    })
}

/// Whether a server would accept these files.
fn taken(pair: &Pair, certificate: &[u8], key: &[u8]) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    let (certificate_file, key_file) = (pair.folder.path().join("server.pem"), pair.folder.path().join("server.key"));
    std::fs::write(&certificate_file, certificate).expect("a file");
    std::fs::write(&key_file, key).expect("a file");
    std::fs::set_permissions(&key_file, std::fs::Permissions::from_mode(0o600)).expect("a file of ours");
    fuzzing::certificate(&certificate_file, &key_file)
}

fn chains() -> Vec<Vec<u8>> {
    with_pair(|pair| vec![pair.certificate.clone().into_bytes()])
}

fn chain(bytes: &[u8]) {
    let good = with_pair(|pair| taken(pair, bytes, pair.key.as_bytes()));
    assert!(good || !chains().iter().any(|seed| seed == bytes), "the seed is good");
}

fn private_keys() -> Vec<Vec<u8>> {
    with_pair(|pair| vec![pair.key.clone().into_bytes()])
}

fn private_key(bytes: &[u8]) {
    let good = with_pair(|pair| taken(pair, pair.certificate.as_bytes(), bytes));
    assert!(good || !private_keys().iter().any(|seed| seed == bytes), "the seed is good");
}
