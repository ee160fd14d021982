//! The records that are compared.

use std::collections::{BTreeMap, BTreeSet};

use super::{at, said};
use crate::beliefs::ClaimRow;
use crate::ids::{MemoryId, Seq};
use crate::memory::Memory;

/// The groups of records of which the last `fresh` ones are new.
fn groups(texts: &[String], fresh: usize) -> Vec<Vec<i64>> {
    let records: Vec<Memory> = texts.iter().zip(1..).map(|(text, number)| at(number, said(text))).collect();
    let rows: Vec<ClaimRow> = records.iter().flat_map(ClaimRow::all_of).collect();
    let numbers: BTreeMap<MemoryId, Seq> = records.iter().map(|memory| (memory.id, memory.seq)).collect();
    let fresh: BTreeSet<MemoryId> = records.iter().rev().take(fresh).map(|memory| memory.id).collect();
    let groups = ClaimRow::groups(&rows, &numbers, &fresh);
    groups.into_iter().map(|group| group.into_iter().map(|seq| seq.0).collect()).collect()
}

fn texts(all: &[&str]) -> Vec<String> {
    all.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn equal_values_and_what_is_known_already_are_not_compared() {
    let same = texts(&["I live in Porto", "I live in Porto.", "I like tea", "I love tea"]);
    assert_eq!(groups(&same, 4), [[0_i64; 0]; 0]);
    let mixed = texts(&["I like tea", "I live in Porto", "I live in Lisbon", "I hate tea"]);
    assert_eq!(groups(&mixed, 4), [[4, 1], [3, 2]]);
    assert_eq!(groups(&mixed, 1), [[4, 1]], "the others were compared before");
    assert_eq!(groups(&mixed, 0), [[0_i64; 0]; 0], "a night over unchanged memories compares nothing");
}

#[test]
fn the_newest_of_each_way_are_compared_and_few_that_say_the_same() {
    let mut many: Vec<String> = vec!["I hate tea".to_owned()];
    many.extend((0..100).map(|_| "I like tea".to_owned()));
    let expected: Vec<i64> = (94..=101).rev().chain([1]).collect();
    assert_eq!(groups(&many, 101), [expected], "the only denial is not lost behind what repeats");
    let places: Vec<String> = (0..100).map(|number| format!("My favorite color is x{number}")).collect();
    assert_eq!(groups(&places, 100), [(37..=100).rev().collect::<Vec<i64>>()]);
}
