//! Cached columns give the same answers as the tables.

use kimberly_core::ids::Seq;
use kimberly_core::memory::{MemoryFilter, MemoryState, Scope, SensitivityFilter, Source, Tier};
use kimberly_core::ports::{LexicalHit, SessionSpot};
use kimberly_core::text::TextTraits;
use kimberly_core::time::Timestamp;

use super::{Columns, Entry, Further, Pass, Stamp};

/// Every third number has no session.
fn hit(seq: i64) -> LexicalHit {
    LexicalHit {
        seq: Seq(seq),
        bm25: 0.0,
        spot: (seq % 3 != 0).then_some(SessionSpot { session: 1 + seq % 2, position: seq }),
        speaker: (seq % 5 != 0).then_some(seq % 5),
        occurred_at: Timestamp(-seq),
        created_at: Timestamp(seq),
        traits: TextTraits {
            asks: seq % 2 == 0,
            is_question: true,
            names_time: false,
            directs: seq % 3 == 0,
            words: 9,
            rules: 15,
        },
        score: 1.0 / 3.0,
        tier: Tier::ALL[usize::try_from(seq % 3).unwrap()],
        stale: seq % 7 == 0,
    }
}

fn entries(seqs: impl IntoIterator<Item = i64>) -> Vec<Entry> {
    seqs.into_iter().map(|seq| Entry::new(&hit(seq), Further::default()).unwrap()).collect()
}

fn found(columns: &Columns, seqs: &[i64]) -> Vec<LexicalHit> {
    let scored: Vec<_> = seqs.iter().map(|seq| (*seq, 0.0)).collect();
    columns.hits(&scored, &Pass::new(&MemoryFilter::default(), columns))
}

#[test]
fn everything_of_a_hit_comes_back() {
    let columns = Columns::new(Stamp::default(), (entries(1..=20), Vec::new()));
    let expected: Vec<_> = (1..=20).map(hit).collect();
    assert_eq!(found(&columns, &(1..=20).collect::<Vec<_>>()), expected);
}

#[test]
fn numbers_are_found_across_gaps_and_unknown_ones_are_not() {
    let columns = Columns::new(Stamp::default(), (entries([2, 3, 7, 30]), Vec::new()));
    assert_eq!(found(&columns, &[-1, 0, 1, 2, 4, 7, 30, 31]), [hit(2), hit(7), hit(30)]);
}

#[test]
fn extended_columns_are_those_made_at_once() {
    let stamp = Stamp { created: 40, ..Stamp::default() };
    let at_once = Columns::new(stamp, (entries(1..=40), Vec::new()));
    let extended = Columns::new(Stamp::default(), (entries(1..=23), Vec::new()));
    let extended = extended.extended(stamp, (entries(24..=40), Vec::new()));
    assert_eq!((extended.stamp, &extended.entries), (at_once.stamp, &at_once.entries));
    assert_eq!(extended.by_spot, at_once.by_spot);
    let spots: Vec<_> = (0..50).flat_map(|n| [1, 2].map(|session| SessionSpot { session, position: n })).collect();
    let pass = Pass::new(&MemoryFilter::default(), &extended);
    let near = extended.at_spots(&spots, &pass);
    assert_eq!(near.len(), (1..=40).filter(|n| n % 3 != 0).count());
    assert!(near.iter().all(|near| *near == hit(near.seq.0)));
}

fn more_bits(state: MemoryState, bits: i64) -> Entry {
    Entry::new(&hit(1), Further { more: state as i64 + bits, ..Further::default() }).unwrap()
}

#[test]
fn further_bits_decide_what_passes() {
    let more = |state: MemoryState, sensitive: i64, source: Source, scope: Scope| {
        let more = state as i64 + sensitive * 4 + source as i64 * 8 + scope as i64 * 32;
        Entry::new(&hit(1), Further { more, namespace: 7, ..Further::default() }).unwrap()
    };
    let entry = more(MemoryState::Archived, 1, Source::Upload, Scope::Public);
    let columns = Columns::new(Stamp::default(), (Vec::new(), vec![("work".to_owned(), 7), ("home".to_owned(), 8)]));
    let lets = |filter: MemoryFilter| Pass::new(&filter, &columns).lets(&entry);
    let archived = || MemoryFilter { states: vec![MemoryState::Archived], ..MemoryFilter::default() };
    assert!(lets(archived()));
    assert!(!lets(MemoryFilter::default()));
    assert!(lets(MemoryFilter { sensitivity: SensitivityFilter::Only, ..archived() }));
    assert!(!lets(MemoryFilter { sensitivity: SensitivityFilter::Exclude, ..archived() }));
    assert!(lets(MemoryFilter { sources: vec![Source::Upload], scopes: vec![Scope::Public], ..archived() }));
    assert!(!lets(MemoryFilter { sources: vec![Source::Chat, Source::Agent], ..archived() }));
    assert!(!lets(MemoryFilter { scopes: vec![Scope::Shared], ..archived() }));
    assert!(!lets(MemoryFilter { tiers: vec![Tier::ShortTerm], ..archived() }));
    assert!(lets(MemoryFilter { created_after: Some(Timestamp(1)), created_before: Some(Timestamp(2)), ..archived() }));
    assert!(!lets(MemoryFilter { created_before: Some(Timestamp(1)), ..archived() }));
    assert!(!lets(MemoryFilter { occurred_after: Some(Timestamp(0)), ..archived() }));
    let of =
        |names: &[&str]| MemoryFilter { namespaces: names.iter().map(|n| (*n).to_owned()).collect(), ..archived() };
    assert!(lets(of(&["work"])) && lets(of(&["none", "work"])));
    assert!(!lets(of(&["home"])) && !lets(of(&[""])) && !lets(of(&["none"])));
    let withheld = more_bits(MemoryState::Active, 128);
    assert!(!Pass::new(&MemoryFilter::default(), &columns).lets(&withheld));
    let shown = MemoryFilter { withheld: true, ..MemoryFilter::default() };
    assert!(Pass::new(&shown, &columns).lets(&withheld), "exports ask for them");
}

#[test]
fn numbers_out_of_bounds_are_refused() {
    assert_eq!(Entry::new(&hit(1), Further { more: 1 << 16, ..Further::default() }), None);
    let far = LexicalHit { speaker: Some(1 << 40), ..hit(1) };
    assert_eq!(Entry::new(&far, Further::default()), None);
}

#[test]
fn what_holds_at_a_time_passes() {
    let one =
        |valid_from, valid_to| Entry::new(&hit(1), Further { valid_from, valid_to, ..Further::default() }).unwrap();
    let lets = |at, entry| {
        let filter = MemoryFilter { valid_at: Some(Timestamp(at)), ..MemoryFilter::default() };
        assert!(super::covers(&filter));
        Pass::new(&filter, &Columns::default()).lets(&entry)
    };
    for (valid_from, valid_to, holds) in [
        (None, None, true),
        (Some(5), None, true),
        (Some(6), None, false),
        (None, Some(6), true),
        (None, Some(5), false),
    ] {
        assert_eq!(lets(5, one(valid_from, valid_to)), holds, "{valid_from:?} to {valid_to:?}");
    }
}
