//! A cached token, with a clock that the test sets.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kimberly_core::ports::Clock as _;
use kimberly_runtime::SystemClock;
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde_json::json;

use super::*;

/// Returns the checker of an issuer's tokens, and a token that is valid for ten minutes from `now`.
fn tokens(now: Timestamp) -> (Tokens, String) {
    let key = Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap();
    let text = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
    let (folder, now) = (tempfile::tempdir().unwrap(), now.0 / Span::seconds(1).0);
    let file = folder.path().join("jwks.json");
    let set = json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "ed", "x": text(key.public_key().as_ref())}]});
    std::fs::write(&file, set.to_string()).unwrap();
    let config = JwtConfig {
        issuer: Some("issuer".to_owned()),
        audience: Some("kimberly".to_owned()),
        jwks_file: Some(file),
        ..JwtConfig::default()
    };
    let tokens = Tokens::load(&config).unwrap().unwrap();
    let claims = json!({"iss": "issuer", "aud": "kimberly", "sub": "ada", "iat": now, "exp": now + 600});
    let header = json!({"alg": "EdDSA", "kid": "ed"});
    let message = format!("{}.{}", text(header.to_string().as_bytes()), text(claims.to_string().as_bytes()));
    let signature = text(key.sign(message.as_bytes()).as_ref());
    (tokens, format!("{message}.{signature}"))
}

#[test]
fn a_cached_token_expires_at_its_own_time() {
    let now = SystemClock.now();
    let (tokens, token) = tokens(now);
    let at = |seconds: i64| tokens.caller(&token, now.plus(Span::seconds(seconds)));
    assert_eq!(&*at(0).unwrap().name, "jwt:ada");
    let leeway = tokens.leeway.0 / Span::seconds(1).0;
    at(600 + leeway - 2).expect("good until its end and the leeway");
    assert!(matches!(at(600 + leeway + 1), Err(Error::Unauthenticated)));
    assert_eq!(tokens.good.lock().unwrap().cached.len(), 1, "it was kept, and so not checked again");
}
