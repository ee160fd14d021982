//! Rings are parsed strictly, and errors do not contain the key.

use proptest::prelude::*;

use super::*;

fn key(byte: u8) -> String {
    STANDARD.encode([byte; 32])
}

fn ids(ring: &Ring) -> Vec<String> {
    ring.ids().map(ToString::to_string).collect()
}

#[test]
fn the_last_key_is_current_and_all_of_them_open() {
    let ring =
        Ring::parse(&format!("# first\n{} {}\n,{}# the newest\n\n# none here\n", key(1), key(2), key(3))).unwrap();
    let third = KeyId::of(&Secret32::copied_from(&[3; 32]).unwrap()).unwrap();
    assert_eq!(ring.current(), &third);
    assert_eq!(ring.ids().count(), 3);
    assert_eq!(ring.ids().last(), Some(&third));
    for (byte, id) in (1..).zip(ring.ids()) {
        assert_eq!(ring.key(id).unwrap().expose(), &[byte; 32]);
    }
    assert!(ring.key(&KeyId::parse("0000000000000000").unwrap()).is_none());
}

#[test]
fn padding_may_be_left_out_as_variables_often_lose_it() {
    let with = Ring::parse(&key(9)).unwrap();
    let without = Ring::parse(key(9).trim_end_matches('=')).unwrap();
    assert_eq!(with.current(), without.current());
}

#[test]
fn a_generated_ring_is_read_back() {
    let (ring, text) = Ring::generate().unwrap();
    assert_eq!(ids(&Ring::parse(&text).unwrap()), ids(&ring));
    assert_ne!(ids(&Ring::generate().unwrap().0), ids(&ring));
}

#[test]
fn sixteen_keys_are_taken_and_seventeen_are_not() {
    let of = |count: u8| (0..count).map(key).collect::<Vec<_>>().join("\n");
    assert_eq!(Ring::parse(&of(16)).unwrap().ids().count(), 16);
    assert_eq!(Ring::parse(&of(17)).unwrap_err(), RingError::TooMany);
}

#[test]
fn the_text_is_bounded() {
    let padded = |length: usize| {
        let key = key(1);
        format!("{key}\n#{}", "x".repeat(length - key.len() - 2))
    };
    assert!(Ring::parse(&padded(MAX_RING_BYTES)).is_ok());
    assert_eq!(Ring::parse(&padded(MAX_RING_BYTES + 1)).unwrap_err(), RingError::TooLong);
}

#[test]
fn what_is_no_key_is_named_by_number_and_never_repeated() {
    let short = STANDARD.encode([0xa5; 31]);
    let long = STANDARD.encode([0xa5; 33]);
    let odd = format!("{}!", &key(0xa5)[..43]);
    for wrong in [short.as_str(), &long, &odd, "secret-by-mistake", &key(0xa5)[..42]] {
        let error = Ring::parse(&format!("{}\n{wrong}", key(1))).unwrap_err();
        assert_eq!(error, RingError::NotAKey { number: 2 });
        let error = format!("{error} {error:?}");
        assert!(error.contains("key 2") && error.contains("openssl rand"), "{error}");
        assert!(!error.contains(&wrong[..4]), "{error}");
    }
}

#[test]
fn an_empty_ring_and_a_key_twice_are_refused() {
    for empty in ["", " \n,,\n", "# only a comment"] {
        assert_eq!(Ring::parse(empty).unwrap_err(), RingError::Empty, "{empty:?}");
    }
    let error = Ring::parse(&format!("{},{},{}", key(1), key(2), key(1))).unwrap_err();
    assert_eq!(error, RingError::Twice { first: 1, second: 3 });
}

proptest! {
    #[test]
    fn no_text_breaks_the_parser(text in any::<String>()) {
        let _ = Ring::parse(&text);
    }

    #[test]
    fn no_text_like_a_ring_breaks_the_parser(text in "[A-Za-z0-9+/=,# \\n]{0,200}") {
        let _ = Ring::parse(&text);
    }

    #[test]
    fn rings_come_back_whatever_separates_their_keys(
        keys in proptest::collection::btree_set(any::<[u8; 32]>(), 1..=16),
        separator in "[ \\t\\n,]{1,3}",
    ) {
        let text: Vec<String> = keys.iter().map(|key| STANDARD.encode(key)).collect();
        let ring = Ring::parse(&text.join(&separator)).unwrap();
        let read: Vec<[u8; 32]> = ring.ids().map(|id| *ring.key(id).unwrap().expose()).collect();
        prop_assert_eq!(read, keys.into_iter().collect::<Vec<_>>());
    }
}
