//! Signed tokens of a trusted issuer, and of others.

use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde_json::{Value, json};

pub(crate) const ISSUER: &str = "https://idp.example.com";
pub(crate) const AUDIENCE: &str = "kimberly";
const KEY: &str = "one";

fn text(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn pair(seed: u8) -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[seed; 32]).expect("a seed has 32 bytes")
}

/// The public keys of the issuer.
pub(crate) fn keys() -> Value {
    let public = text(pair(7).public_key());
    json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": KEY, "alg": "EdDSA", "use": "sig", "x": public}]})
}

#[expect(clippy::disallowed_methods, reason = "a token that is good now needs the machine's time")]
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock").as_secs()
}

/// A token with a valid header and claims, after `change`.
fn token(grant: Option<Value>, change: impl FnOnce(&mut Value, &mut Value), seed: u8) -> String {
    let mut header = json!({"alg": "EdDSA", "kid": KEY, "typ": "JWT"});
    let mut claims = json!({"iss": ISSUER, "aud": AUDIENCE, "sub": "bot", "iat": now(), "exp": now() + 3_600});
    if let Some(grant) = grant {
        claims["kimberly"] = grant;
    }
    change(&mut header, &mut claims);
    let message = format!("{}.{}", text(header.to_string()), text(claims.to_string()));
    let signature =
        if header["alg"] == "none" { Vec::new() } else { pair(seed).sign(message.as_bytes()).as_ref().to_vec() };
    format!("{message}.{}", text(signature))
}

/// A valid token with this grant.
pub(crate) fn good(grant: Value) -> String {
    token(Some(grant), |_, _| {}, 7)
}

/// A valid token without a grant.
pub(crate) fn without_grant() -> String {
    token(None, |_, _| {}, 7)
}

/// Invalid tokens, each with its defect.
pub(crate) fn wrong(grant: &Value) -> Vec<(&'static str, String)> {
    let with = |change: fn(&mut Value, &mut Value)| token(Some(grant.clone()), change, 7);
    vec![
        ("token, issuer", with(|_, claims| claims["iss"] = json!("https://evil.example.com"))),
        ("token, audience", with(|_, claims| claims["aud"] = json!("others"))),
        ("token, key", with(|header, _| header["kid"] = json!("two"))),
        ("token, expired", with(|_, claims| claims["exp"] = json!(claims["iat"].as_u64().unwrap_or_default() - 900))),
        ("token, unsigned", with(|header, _| header["alg"] = json!("none"))),
        ("token, limit unknown", with(|_, claims| claims["kimberly"]["tags"] = json!(["x"]))),
        ("token, forged", token(Some(grant.clone()), |_, _| {}, 8)),
    ]
}
