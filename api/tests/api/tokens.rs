//! Signed tokens of an issuer: which are accepted, and that all others are refused alike.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a helper of tests fails the test that calls it")]

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kimberly_core::ports::Clock as _;
use kimberly_core::settings::ServerDefaults;
use kimberly_proto::v1;
use kimberly_runtime::SystemClock;
use kimberly_runtime::config::{AuthConfig, AuthMode, Config, JwtConfig, Period};
use ring::hmac;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _};
use serde_json::{Value, json};
use tonic::{Code, Status};

use crate::access::{call, show};
use crate::common::{Served, USER, create, draft, reason};

/// Far longer than any wait in these tests.
const PATIENCE: Duration = Duration::from_mins(1);
const SETTINGS: &str = "/kimberly.v1.SettingsService/GetSettings";

static ED: LazyLock<Ed25519KeyPair> = LazyLock::new(|| Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap());
static OTHER: LazyLock<Ed25519KeyPair> = LazyLock::new(|| Ed25519KeyPair::from_seed_unchecked(&[8; 32]).unwrap());
static EC: LazyLock<EcdsaKeyPair> = LazyLock::new(|| {
    let (random, kind) = (SystemRandom::new(), &ECDSA_P256_SHA256_FIXED_SIGNING);
    let document = EcdsaKeyPair::generate_pkcs8(kind, &random).unwrap();
    EcdsaKeyPair::from_pkcs8(kind, document.as_ref(), &random).unwrap()
});

fn text(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn jwk(id: &str, pair: &Ed25519KeyPair) -> Value {
    json!({"kty": "OKP", "crv": "Ed25519", "kid": id, "alg": "EdDSA", "use": "sig", "x": text(pair.public_key())})
}

/// Returns the issuer's keys.
fn keys() -> Value {
    let point = EC.public_key().as_ref();
    let ec = json!({"kty": "EC", "crv": "P-256", "kid": "ec", "x": text(&point[1..33]), "y": text(&point[33..])});
    json!({"keys": [jwk("ed", &ED), ec]})
}

fn now() -> i64 {
    SystemClock.now().0 / 1_000_000
}

/// Returns valid claims with a change.
fn claims(change: impl FnOnce(&mut Value)) -> Value {
    let mut claims = json!({
        "iss": "https://idp.example.com", "aud": "kimberly", "sub": "bot", "iat": now(), "exp": now() + 600,
        "kimberly": {"users": [USER], "operations": ["read", "write"], "agent": true},
    });
    change(&mut claims);
    claims
}

fn signed(header: &Value, claims: &Value, sign: impl FnOnce(&[u8]) -> Vec<u8>) -> String {
    let message = format!("{}.{}", text(header.to_string()), text(claims.to_string()));
    let signature = sign(message.as_bytes());
    format!("{message}.{}", text(signature))
}

fn with_ed(header: &Value, claims: &Value) -> String {
    signed(header, claims, |message| ED.sign(message).as_ref().to_vec())
}

/// Returns a token of the issuer with changed claims.
fn token(change: impl FnOnce(&mut Value)) -> String {
    with_ed(&json!({"alg": "EdDSA", "kid": "ed", "typ": "JWT"}), &claims(change))
}

/// Returns a token with valid claims under another header.
fn headed(header: &Value) -> String {
    with_ed(header, &claims(|_| {}))
}

async fn serving(keys: &Value, mode: AuthMode) -> (Served, tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("jwks.json");
    fs::write(&file, keys.to_string()).unwrap();
    let jwt = JwtConfig {
        issuer: Some("https://idp.example.com".to_owned()),
        audience: Some("kimberly".to_owned()),
        jwks_file: Some(file.clone()),
        leeway: Period::seconds(5),
        max_lifetime: Period::seconds(3_600),
    };
    let auth = AuthConfig { mode, recheck: Period::millis(50), jwt, ..AuthConfig::default() };
    let served = Served::configured(ServerDefaults::default(), Config { auth, ..Config::default() }).await;
    (served, folder, file)
}

async fn ask(served: &Served, token: &str) -> Result<(), Status> {
    call(served, SETTINGS, USER, Some(token)).await
}

#[tokio::test]
async fn tokens_of_the_issuer_let_their_holder_do_what_they_say() {
    let (served, _folder, _) = serving(&keys(), AuthMode::Required).await;
    let ec = |message: &[u8]| EC.sign(&SystemRandom::new(), message).unwrap().as_ref().to_vec();
    let good = [
        token(|_| {}),
        token(|claims| claims["aud"] = json!(["others", "kimberly"])),
        token(|claims| claims["exp"] = json!(now() - 1)),
        token(|claims| claims["nbf"] = json!(now() + 1)),
        token(|claims| drop(claims.as_object_mut().unwrap().remove("iat"))),
        token(|claims| claims["more"] = json!({"of": "others"})),
        headed(&json!({"alg": "EdDSA", "kid": "ed"})),
        signed(&json!({"alg": "ES256", "kid": "ec"}), &claims(|_| {}), ec),
    ];
    for good in &good {
        ask(&served, good).await.unwrap();
    }
    // Its grant limits it by user and by operation, like a key, and its holder is an agent.
    let other = call(&served, SETTINGS, "eve", Some(&good[0])).await.unwrap_err();
    assert_eq!(reason(&other).1, "PERMISSION_DENIED");
    let admin = call(&served, "/kimberly.v1.SettingsService/UpdateSettings", USER, Some(&good[0])).await.unwrap_err();
    assert_eq!(reason(&admin).1, "PERMISSION_DENIED");
    let mut request = tonic::Request::new(create(draft("tea")));
    show(&mut request, Some(&good[0]));
    let id = served.memories().create_memory(request).await.unwrap().into_inner().receipt.unwrap().id;
    let mut request = tonic::Request::new(v1::GetMemoryRequest {
        user_id: USER.to_owned(),
        id,
        explain: false,
        ..Default::default()
    });
    show(&mut request, Some(&good[0]));
    let memory = served.memories().get_memory(request).await.unwrap().into_inner().memory.unwrap();
    assert_eq!(memory.audit.unwrap_or_default().created_by(), v1::Creator::Agent);
    // A token limited to some memories may not make calls about all of them.
    let limited = token(|claims| claims["kimberly"]["tiers"] = json!(["permanent"]));
    assert_eq!(reason(&ask(&served, &limited).await.unwrap_err()).1, "PERMISSION_DENIED");
    // Without the claim, the caller is known and may do nothing.
    let nothing = token(|claims| drop(claims.as_object_mut().unwrap().remove("kimberly")));
    assert_eq!(reason(&ask(&served, &nothing).await.unwrap_err()).1, "PERMISSION_DENIED");
}

/// Returns tokens that are invalid, each for one reason.
fn bad() -> Vec<(&'static str, String)> {
    let good = token(|_| {});
    let parts: Vec<&str> = good.split('.').collect();
    let remove = |name: &'static str| token(move |claims| drop(claims.as_object_mut().unwrap().remove(name)));
    let set = |name: &'static str, value: Value| token(move |claims| claims[name] = value);
    let secret = hmac::Key::new(hmac::HMAC_SHA256, ED.public_key().as_ref());
    let with_secret = |message: &[u8]| hmac::sign(&secret, message).as_ref().to_vec();
    let scope = |change: &dyn Fn(&mut Value)| token(|claims| change(&mut claims["kimberly"]));
    let other = text(claims(|claims| claims["kimberly"]["users"] = json!(["*"])).to_string());
    let of_other = |message: &[u8]| OTHER.sign(message).as_ref().to_vec();
    vec![
        ("no token", "a.b.c".to_owned()),
        ("two parts", parts[..2].join(".")),
        ("four parts", format!("{good}.x")),
        ("no signature", format!("{}.{}.", parts[0], parts[1])),
        ("other claims", format!("{}.{other}.{}", parts[0], parts[2])),
        ("another signature", format!("{}.{}.{}", parts[0], parts[1], text([1; 64]))),
        ("padding", format!("{good}=")),
        ("alg none", signed(&json!({"alg": "none", "kid": "ed"}), &claims(|_| {}), |_| Vec::new())),
        ("no alg", headed(&json!({"kid": "ed"}))),
        ("the public key as a secret", signed(&json!({"alg": "HS256", "kid": "ed"}), &claims(|_| {}), with_secret)),
        ("the algorithm of another key", headed(&json!({"alg": "ES256", "kid": "ed"}))),
        ("the id of another key", headed(&json!({"alg": "EdDSA", "kid": "ec"}))),
        ("an unknown key", headed(&json!({"alg": "EdDSA", "kid": "x"}))),
        ("no key", headed(&json!({"alg": "EdDSA"}))),
        ("a key that it brings", {
            let header = json!({"alg": "EdDSA", "kid": "mine", "jwk": jwk("mine", &OTHER)});
            signed(&header, &claims(|_| {}), of_other)
        }),
        ("another key under the id", signed(&json!({"alg": "EdDSA", "kid": "ed"}), &claims(|_| {}), of_other)),
        ("what must be understood", headed(&json!({"alg": "EdDSA", "kid": "ed", "crit": ["x"], "x": 1}))),
        ("another issuer", set("iss", json!("https://evil.example.com"))),
        ("several issuers", set("iss", json!(["https://idp.example.com", "https://evil.example.com"]))),
        ("no issuer", remove("iss")),
        ("another audience", set("aud", json!("others"))),
        ("no audience", remove("aud")),
        ("expired", set("exp", json!(now() - 60))),
        ("no end", remove("exp")),
        ("an end in words", set("exp", json!("tomorrow"))),
        ("an end beyond time", set("exp", json!(u64::MAX))),
        ("not yet", set("nbf", json!(now() + 60))),
        ("too long", set("exp", json!(now() + 3_700))),
        (
            "too long in all",
            token(|claims| {
                claims["iat"] = json!(now() - 3_600);
                claims["exp"] = json!(now() + 600);
            }),
        ),
        ("issued later", set("iat", json!(now() + 60))),
        ("no subject", remove("sub")),
        ("an empty subject", set("sub", json!(""))),
        ("a subject that is no name", set("sub", json!("a\u{1}b"))),
        ("no users", scope(&|scope| scope["users"] = json!([]))),
        ("unknown operations", scope(&|scope| scope["operations"] = json!(["everything"]))),
        ("limits that are not enforced", scope(&|scope| scope["hours"] = json!(["9-17"]))),
        ("unknown tiers", scope(&|scope| scope["tiers"] = json!(["eternal"]))),
        ("very long", set("more", json!("x".repeat(8 * 1024)))),
    ]
}

#[tokio::test]
async fn all_other_tokens_are_refused_alike() {
    for mode in [AuthMode::Required, AuthMode::Open] {
        let (served, _folder, _) = serving(&keys(), mode).await;
        let unknown_key = call(&served, SETTINGS, USER, Some("kmb_wrong")).await.unwrap_err();
        for (what, token) in bad() {
            let refused = ask(&served, &token).await.expect_err(what);
            assert_eq!(refused.code(), Code::Unauthenticated, "{what}: {refused:?}");
            assert_eq!(
                (refused.message(), refused.details()),
                (unknown_key.message(), unknown_key.details()),
                "{what}"
            );
        }
        ask(&served, &token(|_| {})).await.unwrap();
    }
    let plain = Served::start().await;
    assert_eq!(ask(&plain, &token(|_| {})).await.unwrap_err().code(), Code::Unauthenticated, "no issuer is trusted");
}

/// Waits until a call with a token has this outcome.
async fn until(served: &Served, token: &str, good: bool) {
    let waiting = async {
        while ask(served, token).await.is_ok() != good {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, waiting).await.expect("it comes true");
}

#[tokio::test]
async fn keys_that_change_hold_without_a_restart_and_streams_of_old_ones_end() {
    let (served, _folder, file) = serving(&keys(), AuthMode::Required).await;
    let old = token(|_| {});
    ask(&served, &old).await.unwrap();
    let watch = v1::WatchMemoriesRequest { user_id: USER.to_owned(), ..v1::WatchMemoriesRequest::default() };
    let mut request = tonic::Request::new(watch);
    show(&mut request, Some(&old));
    let mut watched = served.memories().watch_memories(request).await.unwrap().into_inner();

    // A file that is not a JWK set is ignored.
    fs::write(&file, "no keys").unwrap();
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    ask(&served, &old).await.unwrap();

    fs::write(&file, json!({"keys": [jwk("new", &OTHER)]}).to_string()).unwrap();
    until(&served, &old, false).await;
    let header = json!({"alg": "EdDSA", "kid": "new"});
    let new = signed(&header, &claims(|_| {}), |message| OTHER.sign(message).as_ref().to_vec());
    until(&served, &new, true).await;
    // An issuer without keys has no valid tokens.
    fs::write(&file, r#"{"keys": []}"#).unwrap();
    until(&served, &new, false).await;
    let ended = tokio::time::timeout(PATIENCE, async {
        loop {
            if let Err(status) = watched.message().await {
                return status;
            }
        }
    });
    assert_eq!(reason(&ended.await.unwrap()).1, "UNAUTHENTICATED");
}
