//! The parsers of this crate, for `tests/fuzz`. A panic reports a broken guarantee.
#![expect(clippy::expect_used, reason = "a panic is the finding of a fuzzer")]

use std::path::Path;
use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kimberly_core::ports::Clock as _;
use kimberly_runtime::SystemClock;
use kimberly_runtime::config::JwtConfig;
use ring::signature::{Ed25519KeyPair, KeyPair as _};

use crate::auth::Tokens;

/// Signs tokens, so that the fuzzer reaches their claims.
static KEY: LazyLock<Ed25519KeyPair> =
    LazyLock::new(|| Ed25519KeyPair::from_seed_unchecked(&[7; 32]).expect("32 bytes are a seed"));

static TOKENS: LazyLock<Tokens> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("jwks.json");
    std::fs::write(&file, a_jwk_set()).expect("a file");
    let config = JwtConfig {
        issuer: Some("https://idp.example.com".to_owned()),
        audience: Some("kimberly".to_owned()),
        jwks_file: Some(file),
        ..JwtConfig::default()
    };
    Tokens::load(&config).ok().flatten().expect("the set is good")
});

/// Returns a JWK set with one key.
pub fn a_jwk_set() -> String {
    let x = URL_SAFE_NO_PAD.encode(KEY.public_key());
    format!(r#"{{"keys":[{{"kty":"OKP","crv":"Ed25519","kid":"ed","alg":"EdDSA","use":"sig","x":"{x}"}}]}}"#)
}

/// Returns claims that are valid for an hour.
pub fn claims() -> String {
    let now = SystemClock.now().0 / 1_000_000;
    let grant = r#"{"users":["ada","shop-*"],"operations":["read"],"agent":true}"#;
    format!(
        r#"{{"iss":"https://idp.example.com","aud":"kimberly","sub":"bot","iat":{now},"exp":{},"kimberly":{grant}}}"#,
        now + 3_600
    )
}

/// Signs a header and claims as the issuer would.
pub fn signed(header: &[u8], claims: &[u8]) -> String {
    let message = format!("{}.{}", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(claims));
    let signature = URL_SAFE_NO_PAD.encode(KEY.sign(message.as_bytes()));
    format!("{message}.{signature}")
}

/// Checks a token as it is sent. Returns whether it is valid.
pub fn token(text: &str) -> bool {
    TOKENS.caller(text, SystemClock.now()).is_ok()
}

/// Parses a JWK set.
pub fn jwk_set(bytes: &[u8]) {
    let _refused = crate::auth::jwk_set_is_good(bytes);
}

/// Returns the name in a client's certificate, which rustls would have verified before.
pub fn client_certificate(bytes: &[u8]) -> Option<String> {
    crate::tls::named(bytes)
}

/// Reports whether these files are a valid certificate and key.
pub fn certificate(certificate: &Path, key: &Path) -> bool {
    crate::tls::are_good(certificate, key)
}
