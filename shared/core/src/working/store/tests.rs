//! Tests of the keys of one keyspace.

use super::*;

const LIMITS: WorkingLimits = WorkingLimits { lifetime: Span::hours(1), store_bytes: 100, total_bytes: 1_000 };

fn at(seconds: i64) -> Timestamp {
    Timestamp(0).plus(Span::seconds(seconds))
}

fn set(key: &str, value: &str) -> WorkingOp {
    WorkingOp::Set { key: key.to_owned(), value: value.to_owned(), lifetime: None }
}

fn get(key: &str) -> WorkingOp {
    WorkingOp::Get { key: key.to_owned() }
}

fn increment(key: &str, by: i64) -> WorkingOp {
    WorkingOp::Increment { key: key.to_owned(), by, lifetime: None }
}

fn append(key: &str, value: &str) -> WorkingOp {
    WorkingOp::Append { key: key.to_owned(), value: value.to_owned(), lifetime: None }
}

fn one(store: &mut WorkingStore, op: WorkingOp, seconds: i64) -> WorkingOutcome {
    store.run(&WorkingOps::one(op).unwrap(), LIMITS, at(seconds)).unwrap().remove(0)
}

fn value(store: &mut WorkingStore, key: &str, seconds: i64) -> Option<String> {
    one(store, get(key), seconds).value
}

#[test]
fn a_text_is_there_until_its_lifetime_ends() {
    let mut store = WorkingStore::default();
    assert!(!one(&mut store, set("a", "1"), 0).found);
    let short = WorkingOp::Set { key: "b".to_owned(), value: "2".to_owned(), lifetime: Some(Span::seconds(5)) };
    one(&mut store, short, 0);
    assert_eq!(value(&mut store, "b", 4).as_deref(), Some("2"));
    assert_eq!((value(&mut store, "b", 5), value(&mut store, "a", 3_599).as_deref()), (None, Some("1")));
    assert_eq!(value(&mut store, "a", 3_600), None);
    assert!(store.is_empty() && store.bytes() == 0);
}

#[test]
fn numbers_and_texts_grow_in_place_and_retain_their_expiry() {
    let mut store = WorkingStore::default();
    assert_eq!(one(&mut store, increment("n", 5), 0).value.as_deref(), Some("5"));
    let grown = one(&mut store, increment("n", -7), 60);
    assert_eq!((grown.value.as_deref(), grown.expires_at, grown.found), (Some("-2"), Some(at(3_600)), true));
    one(&mut store, append("t", "ab"), 0);
    assert_eq!(one(&mut store, append("t", "cd"), 1).value.as_deref(), Some("abcd"));
    let longer = WorkingOp::Expire { key: "t".to_owned(), lifetime: Span::hours(2) };
    assert_eq!(one(&mut store, longer, 60).expires_at, Some(at(7_260)));
}

#[test]
fn operations_that_fail_leave_everything_as_it_was() {
    let mut store = WorkingStore::default();
    one(&mut store, set("t", "tea"), 0);
    let before = store.clone();
    for (ops, said) in [
        (vec![set("u", "x"), increment("t", 1)], "operations[1].key holds a text that is no whole number"),
        (vec![set("n", "9223372036854775807"), increment("n", 1)], "operations[1].key would leave the range"),
        (vec![append("t", &"x".repeat(MAX_WORKING_ENTRY_BYTES))], "operations[0].key would hold 65539 bytes"),
    ] {
        let refused = store.run(&WorkingOps::batch(ops).unwrap(), LIMITS, at(1)).unwrap_err().to_string();
        assert!(refused.starts_with(said), "{refused}");
        assert_eq!(store, before);
    }
}

#[test]
fn the_least_recently_used_gives_way_in_a_full_store() {
    let mut store = WorkingStore::default();
    for (second, key) in ["a", "b", "c"].into_iter().enumerate() {
        one(&mut store, set(key, &"x".repeat(29)), i64::try_from(second).unwrap());
    }
    assert_eq!(store.bytes(), 90);
    value(&mut store, "a", 10);
    assert_eq!(one(&mut store, set("d", &"x".repeat(29)), 11).evicted, 1);
    let there = |store: &mut WorkingStore| {
        one(store, WorkingOp::Keys { prefix: String::new(), after: String::new(), limit: 10 }, 12).keys
    };
    assert_eq!(there(&mut store), ["a", "c", "d"]);
    one(&mut store, set("a", &"y".repeat(99)), 13);
    assert_eq!(there(&mut store), ["a"]);
}

#[test]
fn keys_are_listed_by_prefix_in_pages() {
    let mut store = WorkingStore::default();
    for key in ["cache:b", "cache:a", "scratch:1", "cach"] {
        one(&mut store, set(key, ""), 0);
    }
    let mut page = |after: &str| {
        let (prefix, after) = ("cache:".to_owned(), after.to_owned());
        one(&mut store, WorkingOp::Keys { prefix, after, limit: 1 }, 1).keys
    };
    assert_eq!(
        (page(""), page("cache:a"), page("cache:b")),
        (vec!["cache:a".to_owned()], vec!["cache:b".to_owned()], vec![])
    );
}

#[test]
fn what_changed_is_known_until_it_is_stored() {
    let kept = |used: i64| WorkingEntry { value: None, value_bytes: 30, expires_at: at(100), used_at: at(used) };
    let mut store = WorkingStore::of([("old".to_owned(), kept(1)), ("new".to_owned(), kept(2))]);
    one(&mut store, set("more", &"x".repeat(40)), 3);
    let changes: Vec<_> = store.changes().map(|(key, entry)| (key, entry.is_some())).collect();
    assert_eq!(changes, [("more", true), ("old", false)]);
}
