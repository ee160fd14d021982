//! The public keys of an issuer, from a file that holds a JWK set.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, DecodingKey};
use serde::Deserialize;
use serde::de::IgnoredAny;

/// Maximum size of the file, in bytes.
const MOST_BYTES: u64 = 1 << 20;
/// Maximum number of keys.
const MOST: usize = 64;
/// Maximum length of a key's id, in bytes.
const MAX_ID_BYTES: usize = 256;
/// Allowed lengths of an RSA modulus, in bytes.
const RSA_BYTES: std::ops::RangeInclusive<usize> = 256..=1_024;

/// The keys by their ids.
#[derive(Debug)]
pub(super) struct KeySet(HashMap<String, Key>);

/// A key and the algorithms it may be used with.
#[derive(Debug)]
pub(super) struct Key {
    pub(super) decoding: DecodingKey,
    pub(super) algorithms: Vec<Algorithm>,
}

#[derive(Deserialize)]
struct File_ {
    keys: Vec<Raw>,
}

#[derive(Deserialize)]
struct Raw {
    kty: String,
    kid: Option<String>,
    alg: Option<String>,
    #[serde(rename = "use")]
    usage: Option<String>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
    /// Only private keys have this field.
    d: Option<IgnoredAny>,
}

impl KeySet {
    /// Reads a file. Errors name the file and the problem, but quote nothing of its content.
    pub(super) fn read(file: &Path) -> Result<Self, String> {
        let shown = file.display();
        let failed = |error: std::io::Error| format!("{shown} cannot be read: {error}");
        let mut bytes = Vec::new();
        File::open(file).map_err(failed)?.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(format!("{shown} has more than {MOST_BYTES} bytes"));
        }
        Self::parse(&bytes).map_err(|problem| format!("{shown} {problem}"))
    }

    /// Parses a set. Skips keys without an id, for other purposes or of other kinds.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let file: File_ = serde_json::from_slice(bytes)
            .map_err(|error| format!("is no JWK set: line {}, column {}", error.line(), error.column()))?;
        if file.keys.len() > MOST {
            return Err(format!("holds more than {MOST} keys"));
        }
        // An empty set is intended: it makes every token invalid.
        let none = file.keys.is_empty();
        let mut keys = HashMap::new();
        for raw in file.keys {
            if raw.d.is_some() {
                return Err("holds a private key; leave it with the issuer, and put its public key here".to_owned());
            }
            let Some((id, key)) = usable(raw) else { continue };
            if keys.insert(id.clone(), key).is_some() {
                return Err(format!("holds two keys with the kid {id:?}"));
            }
        }
        if keys.is_empty() && !none {
            return Err("holds no key with a kid for RS256, RS384, RS512, ES256, ES384 or EdDSA".to_owned());
        }
        Ok(Self(keys))
    }

    /// Returns the key with an id.
    pub(super) fn find(&self, id: &str) -> Option<&Key> {
        self.0.get(id)
    }
}

fn usable(raw: Raw) -> Option<(String, Key)> {
    let id = raw.kid.filter(|id| (1..=MAX_ID_BYTES).contains(&id.len()))?;
    if raw.usage.is_some_and(|usage| usage != "sig") {
        return None;
    }
    let bytes = |part: &Option<String>| part.as_ref().and_then(|part| URL_SAFE_NO_PAD.decode(part).ok());
    let (decoding, mut algorithms) = match (raw.kty.as_str(), raw.crv.as_deref()) {
        ("RSA", _) => {
            let (n, e) = (bytes(&raw.n)?, bytes(&raw.e)?);
            let strong = RSA_BYTES.contains(&n.len()) && n.first().is_some_and(|first| first & 0x80 != 0);
            let all = vec![Algorithm::RS256, Algorithm::RS384, Algorithm::RS512];
            (strong.then(|| DecodingKey::from_rsa_raw_components(&n, &e))?, all)
        }
        ("EC", Some("P-256")) => (point(bytes(&raw.x)?, bytes(&raw.y)?, 32)?, vec![Algorithm::ES256]),
        ("EC", Some("P-384")) => (point(bytes(&raw.x)?, bytes(&raw.y)?, 48)?, vec![Algorithm::ES384]),
        ("OKP", Some("Ed25519")) => {
            let x = bytes(&raw.x).filter(|x| x.len() == 32)?;
            (DecodingKey::from_ed_der(&x), vec![Algorithm::EdDSA])
        }
        _ => return None,
    };
    if let Some(only) = raw.alg {
        let only: Algorithm = only.parse().ok()?;
        algorithms.retain(|algorithm| *algorithm == only);
    }
    (!algorithms.is_empty()).then_some((id, Key { decoding, algorithms }))
}

/// Builds a key from the coordinates of an uncompressed point.
fn point(x: Vec<u8>, y: Vec<u8>, length: usize) -> Option<DecodingKey> {
    let fits = x.len() == length && y.len() == length;
    fits.then(|| DecodingKey::from_ec_der(&[vec![4], x, y].concat()))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn text(bytes: &[u8]) -> String {
        URL_SAFE_NO_PAD.encode(bytes)
    }

    fn parsed(keys: &[Value]) -> Result<KeySet, String> {
        KeySet::parse(json!({ "keys": keys }).to_string().as_bytes())
    }

    fn ed(id: &str) -> Value {
        json!({"kty": "OKP", "crv": "Ed25519", "kid": id, "x": text(&[7; 32])})
    }

    #[test]
    fn keys_are_taken_for_their_own_algorithms_alone() {
        let keys = parsed(&[
            json!({"kty": "RSA", "kid": "any", "n": text(&[0x80; 256]), "e": "AQAB", "use": "sig"}),
            json!({"kty": "RSA", "kid": "one", "n": text(&[0x80; 512]), "e": "AQAB", "alg": "RS384"}),
            json!({"kty": "EC", "crv": "P-256", "kid": "p256", "x": text(&[1; 32]), "y": text(&[2; 32])}),
            json!({"kty": "EC", "crv": "P-384", "kid": "p384", "x": text(&[1; 48]), "y": text(&[2; 48])}),
            ed("ed"),
        ]);
        let keys = keys.unwrap();
        let of = |id: &str| keys.find(id).unwrap().algorithms.clone();
        assert_eq!(of("any"), [Algorithm::RS256, Algorithm::RS384, Algorithm::RS512]);
        assert_eq!((of("one"), of("p256")), (vec![Algorithm::RS384], vec![Algorithm::ES256]));
        assert_eq!((of("p384"), of("ed")), (vec![Algorithm::ES384], vec![Algorithm::EdDSA]));
        assert!(keys.find("").is_none() && keys.find("other").is_none());
    }

    #[test]
    fn keys_that_are_weak_foreign_or_for_something_else_are_passed_over() {
        let others = [
            json!({"kty": "RSA", "kid": "k", "n": text(&[0x80; 128]), "e": "AQAB"}),
            json!({"kty": "RSA", "kid": "k", "n": text(&[0x7f; 256]), "e": "AQAB"}),
            json!({"kty": "RSA", "kid": "k", "n": text(&[0x80; 256]), "e": "AQAB", "alg": "PS256"}),
            json!({"kty": "RSA", "kid": "k", "n": text(&[0x80; 256]), "e": "AQAB", "use": "enc"}),
            json!({"kty": "RSA", "kid": "k", "n": text(&[0x80; 256])}),
            json!({"kty": "EC", "crv": "P-256", "kid": "k", "x": text(&[1; 31]), "y": text(&[2; 32])}),
            json!({"kty": "EC", "crv": "P-256", "kid": "k", "x": text(&[1; 32]), "y": text(&[2; 32]), "alg": "ES384"}),
            json!({"kty": "EC", "crv": "secp256k1", "kid": "k", "x": text(&[1; 32]), "y": text(&[2; 32])}),
            json!({"kty": "oct", "kid": "k", "k": text(&[1; 32])}),
            json!({"kty": "OKP", "crv": "Ed25519", "x": text(&[7; 32])}),
            json!({"kty": "OKP", "crv": "Ed25519", "kid": "", "x": text(&[7; 32])}),
        ];
        for other in others {
            assert!(parsed(std::slice::from_ref(&other)).is_err(), "{other}");
            assert!(parsed(&[other.clone(), ed("good")]).unwrap().find("k").is_none(), "{other}");
        }
    }

    #[test]
    fn files_that_are_no_sets_of_public_keys_are_refused_and_not_shown() {
        for wrong in ["", "[]", "{}", r#"{"keys": 1}"#] {
            assert!(KeySet::parse(wrong.as_bytes()).is_err(), "{wrong}");
        }
        assert!(parsed(&[]).unwrap().0.is_empty(), "an empty set is how an issuer takes all its keys away");
        assert!(parsed(&[ed("a"), ed("a")]).unwrap_err().contains("two keys"));
        assert!(parsed(&vec![ed("a"); MOST + 1]).unwrap_err().contains("more than 64"));
        let mut private = ed("a");
        private["d"] = json!("c2VjcmV0LXNlY3JldA");
        let refused = parsed(&[private]).unwrap_err();
        assert!(refused.contains("private") && !refused.contains("c2Vj"), "{refused}");
    }
}
