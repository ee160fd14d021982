//! Keys that callers present, and grants as stored in the database.

use kimberly_core::UserId;
use kimberly_core::access::{ApiKey, CredentialId, CredentialName, Grant, UserPattern};

use super::{seeds, text};
use crate::Target;

pub(super) const TARGETS: &[Target] = &[
    Target { name: "api_key", about: "the key of a call", seeds: keys, run: key },
    Target {
        name: "user_pattern",
        about: "whom a key reaches: a pattern, and an id, one a line",
        seeds: patterns,
        run: pattern,
    },
    Target { name: "grant", about: "what a key was granted, in JSON", seeds: grants, run: grant },
];

fn keys() -> Vec<Vec<u8>> {
    let id = CredentialId::from_random([0xab; 8]);
    vec![ApiKey::new(id, [0xfb; 32]).reveal().into_bytes()]
}

fn key(bytes: &[u8]) {
    let Some(raw) = text(bytes) else { return };
    if let Some(key) = ApiKey::parse(raw) {
        assert_eq!(key.reveal(), raw, "a key has one text");
        assert!(!format!("{key:?}").contains(raw), "a key shows itself");
    }
    if let Ok(name) = CredentialName::parse(raw) {
        assert_eq!(name.as_str(), raw);
    }
}

fn patterns() -> Vec<Vec<u8>> {
    seeds(&["ana\nana", "shop-*\nshop-1", "*\nbob"])
}

fn pattern(bytes: &[u8]) {
    let Some((raw, id)) = text(bytes).and_then(|text| text.split_once('\n')) else { return };
    let Ok(pattern) = UserPattern::parse("users", raw) else { return };
    assert_eq!(UserPattern::parse("users", &pattern.to_string()).expect("its own text is read"), pattern);
    let Ok(user) = UserId::parse(id) else { return };
    let by_hand = raw.strip_suffix('*').map_or(raw == id, |prefix| id.starts_with(prefix));
    assert_eq!(pattern.matches(&user), by_hand, "{raw:?} and {id:?}");
}

fn grants() -> Vec<Vec<u8>> {
    seeds(&[
        r#"{"users":["ana","shop-*"],"operations":["read","write"]}"#,
        r#"{"users":["*"],"operations":["admin"]}"#,
        r#"{"users":["ana"],"operations":["read"],"namespaces":["","work"],"tiers":["long_term"],"exclude_sensitive":true}"#,
    ])
}

fn grant(bytes: &[u8]) {
    let Ok(grant) = serde_json::from_slice::<Grant>(bytes) else { return };
    let again = serde_json::to_string(&grant).expect("a grant can be written");
    assert_eq!(serde_json::from_str::<Grant>(&again).expect("what was written is read"), grant);
}
