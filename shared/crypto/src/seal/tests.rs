//! A sealed field opens at its position and nowhere else.

use proptest::prelude::*;

use super::*;

const ROW: [u8; 16] = [1; 16];

fn keys(generations: &[u32]) -> Sealer {
    let key = |generation: u32| Secret32::copied_from(&[u8::try_from(generation & 0xff).unwrap(); 32]).unwrap();
    Sealer::new(generations.iter().map(|&generation| (generation, key(generation))).collect()).unwrap()
}

#[test]
fn a_field_opens_for_its_user_row_and_column_alone() {
    let ours = keys(&[1]);
    let sealed = ours.seal("ada", &ROW, "content", b"a secret").unwrap();
    assert_eq!(sealed.len(), 8 + SEALED_OVERHEAD);
    assert_eq!(*ours.open("ada", &ROW, "content", &sealed).unwrap(), b"a secret");
    assert!(ours.open("bob", &ROW, "content", &sealed).is_err(), "it opens for another user");
    assert!(ours.open("ada", &[2; 16], "content", &sealed).is_err(), "it opens in another row");
    assert!(ours.open("ada", &ROW, "attributes", &sealed).is_err(), "it opens in another column");
    assert!(
        ours.open("ad", &[b"a".as_slice(), &ROW].concat(), "content", &sealed).is_err(),
        "bytes moved between fields"
    );
}

#[test]
fn every_changed_bit_and_every_cut_is_refused() {
    let ours = keys(&[1, 2]);
    let sealed = ours.seal("ada", &ROW, "content", b"text").unwrap();
    for bit in 0..sealed.len() * 8 {
        let mut changed = sealed.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert!(ours.open("ada", &ROW, "content", &changed).is_err(), "bit {bit} may be changed");
    }
    for length in 0..sealed.len() {
        assert!(ours.open("ada", &ROW, "content", &sealed[..length]).is_err(), "{length} bytes are enough");
    }
}

#[test]
fn older_generations_open_until_their_key_is_gone_and_the_newest_seals() {
    let old = keys(&[1]).seal("ada", &ROW, "content", b"old").unwrap();
    let both = keys(&[1, 2]);
    assert_eq!(*both.open("ada", &ROW, "content", &old).unwrap(), b"old");
    assert_eq!((both.generation(), Sealer::generation_of(&old)), (2, Some(1)));
    assert_eq!(Sealer::generation_of(&both.seal("ada", &ROW, "content", b"new").unwrap()), Some(2));
    let error = keys(&[2]).open("ada", &ROW, "content", &old).unwrap_err();
    assert_eq!(error, KeyError::Unopened { what: "a sealed content".to_owned() });
}

#[test]
fn a_generation_is_not_taken_for_another_with_the_same_key() {
    let key = || Secret32::copied_from(&[9; 32]).unwrap();
    let sealed = Sealer::new(vec![(1, key())]).unwrap().seal("ada", &ROW, "content", b"x").unwrap();
    assert!(Sealer::new(vec![(2, key())]).unwrap().open("ada", &ROW, "content", &sealed).is_err());
    assert!(Sealer::new(Vec::new()).is_none());
}

#[test]
fn attachments_have_a_key_of_their_own_per_generation() {
    let ours = keys(&[1, 2]);
    let name = |generation| ours.attachments(generation).unwrap().map(|key| key.object_name("att_1"));
    assert!(name(1).is_some() && name(1) != name(2));
    assert_eq!(name(3), None);
}

proptest! {
    #[test]
    fn no_bytes_break_the_parser(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(keys(&[1]).open("ada", &ROW, "content", &bytes).is_err());
        let _ = Sealer::generation_of(&bytes);
    }

    #[test]
    fn any_text_comes_back(user in any::<String>(), text in proptest::collection::vec(any::<u8>(), 0..500)) {
        let ours = keys(&[7]);
        let sealed = ours.seal(&user, &ROW, "attributes", &text).unwrap();
        prop_assert_eq!(&*ours.open(&user, &ROW, "attributes", &sealed).unwrap(), &text);
    }
}
