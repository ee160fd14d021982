//! Decides which names mean the same: a pure function of a vault's names and a person's rulings.
//!
//! A pair's score weighs similarity of the names (0.5), shared company in records (0.3) and closeness in time (0.2);
//! from 0.6 on the names are one. Only plausible pairs are scored: a first name and a full name, a short form, an
//! acronym, a different spelling of the same letters. A name that could be short for two others is joined to neither.

use std::collections::{BTreeMap, BTreeSet};

use super::EntityType;
use super::NameId;
use super::names::{Name, company};
use super::ruling::{Ruled, Ruling};
use super::words::english;

/// Least score at which two names are one.
const THRESHOLD: f64 = 0.6;
const NAME: f64 = 0.5;
const COMPANY: f64 = 0.3;
const TIME: f64 = 0.2;
/// Days between two names at which the score for closeness in time is halved.
const HALF_DAYS: f64 = 30.0;

/// Similarity of two names that may mean the same.
const EQUAL: f64 = 1.0;
const SHORTENED: f64 = 0.9;

/// Groups names, given as indices; the groups are ordered by their first name.
pub(super) fn resolve(names: &[Name], rulings: &[Ruling]) -> Vec<Vec<usize>> {
    let indexes: BTreeMap<NameId, usize> = names.iter().enumerate().map(|(at, name)| (name.id, at)).collect();
    let pairs_of = |ruled: Ruled| {
        let pair = |ruling: &Ruling| Some((*indexes.get(&ruling.name)?, *indexes.get(&ruling.other)?));
        rulings.iter().filter(move |ruling| ruling.ruled == ruled).filter_map(pair)
    };
    let mut groups = Groups { of: (0..names.len()).collect() };
    let apart: Vec<(usize, usize)> = pairs_of(Ruled::Apart).collect();
    for (a, b) in pairs_of(Ruled::Same) {
        groups.join(a, b, &apart);
    }
    let company = company(names);
    for Could { at, others, alike } in candidates(names) {
        // A name that could stand for two others joins neither, unless those are already one.
        let roots: BTreeSet<usize> = others.iter().map(|other| groups.root(*other)).collect();
        let pair = |other: &usize| {
            let (a, b) = (names.get(at)?, names.get(*other)?);
            Some((*other, score(alike, (a, b), company.get(at).zip(company.get(*other)))))
        };
        let best = others.iter().filter_map(pair).max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        if let Some((other, _)) = best.filter(|(_, score)| roots.len() == 1 && *score >= THRESHOLD) {
            groups.join(at, other, &apart);
        }
    }
    groups.all()
}

/// Scores a pair.
fn score(alike: f64, (a, b): (&Name, &Name), company: Option<(&BTreeSet<usize>, &BTreeSet<usize>)>) -> f64 {
    let shared = company.map_or(0.0, |(a, b)| {
        let fewest = a.len().min(b.len());
        if fewest == 0 { 0.0 } else { count(a.intersection(b).count()) / count(fewest) }
    });
    let gap = (a.first.0.max(b.first.0) - a.last.0.min(b.last.0)).max(0);
    let days = crate::time::Span(gap).as_days();
    NAME * alike + COMPANY * shared + TIME / (1.0 + days / HALF_DAYS)
}

#[expect(clippy::cast_precision_loss, reason = "names of a vault are fewer than a double counts")]
fn count(n: usize) -> f64 {
    n as f64
}

/// A name and the names it could stand for, all equally likely.
struct Could {
    at: usize,
    others: Vec<usize>,
    alike: f64,
}

/// Finds all names that could stand for others, the surest first.
fn candidates(names: &[Name]) -> Vec<Could> {
    let mut all = same_letters(names);
    all.extend(acronyms(names));
    all.extend(persons(names));
    all.sort_by(|a, b| b.alike.total_cmp(&a.alike).then((a.at, &a.others).cmp(&(b.at, &b.others))));
    all
}

fn is_person(name: &Name) -> bool {
    name.kind() == EntityType::Person
}

/// Company suffixes that are often left out.
const FORMS: [&str; 7] = ["inc", "ltd", "llc", "gmbh", "corp", "corporation", "co"];

/// `Node.js` and `NodeJS`, `Acme Inc.` and `Acme`.
fn same_letters(names: &[Name]) -> Vec<Could> {
    let mut by: BTreeMap<(uuid::Uuid, String), Vec<usize>> = BTreeMap::new();
    for (at, name) in names.iter().enumerate().filter(|(_, name)| !name.kind().is_written()) {
        let words = name.words();
        let kept = match words.split_last() {
            Some((last, rest)) if !rest.is_empty() && FORMS.contains(last) => rest,
            _ => words.as_slice(),
        };
        by.entry((name.space, kept.concat())).or_default().push(at);
    }
    let pairs = by.values().filter_map(|same| same.split_first());
    let could = |first: usize, at: usize| Could { at, others: vec![first], alike: EQUAL };
    pairs.flat_map(|(first, rest)| rest.iter().map(move |other| could(*first, *other))).collect()
}

/// `WHO` and `World Health Organization`.
fn acronyms(names: &[Name]) -> Vec<Could> {
    let mut long: BTreeMap<(uuid::Uuid, String), Vec<usize>> = BTreeMap::new();
    for (at, name) in names.iter().enumerate().filter(|(_, name)| !is_person(name)) {
        let letters: String =
            name.words().iter().filter(|word| !SMALL.contains(word)).filter_map(|word| word.chars().next()).collect();
        if letters.chars().count() > 2 {
            long.entry((name.space, letters)).or_default().push(at);
        }
    }
    let short = names.iter().enumerate().filter(|(_, name)| !name.normal.contains(' ') && is_capitals(name));
    let could = |(at, name): (usize, &Name)| {
        let others = long.get(&(name.space, name.normal.clone()))?.clone();
        Some(Could { at, others, alike: SHORTENED })
    };
    short.filter_map(could).collect()
}

/// Words that acronyms skip.
const SMALL: [&str; 5] = ["of", "the", "and", "for", "de"];

fn is_capitals(name: &Name) -> bool {
    name.surfaces.keys().all(|surface| surface.chars().all(|c| !c.is_lowercase()))
}

/// Index of persons by the beginnings and ends of their names, so that not all pairs are compared.
struct Persons<'n> {
    words: BTreeMap<usize, Vec<&'n str>>,
    by: BTreeMap<(uuid::Uuid, &'n str), BTreeSet<usize>>,
}

/// Letters that a short form shares with the beginning of the name.
const BEGINS: usize = 3;

impl<'n> Persons<'n> {
    fn of(names: &'n [Name]) -> Self {
        let mut all = Self { words: BTreeMap::new(), by: BTreeMap::new() };
        for (at, name) in names.iter().enumerate().filter(|(_, name)| is_person(name) && name.is_firm()) {
            let words = name.words();
            let first = words.first().copied().unwrap_or_default();
            let keys = [Some(first), words.last().copied(), first.get(..BEGINS)];
            for key in keys.into_iter().flatten() {
                all.by.entry((name.space, key)).or_default().insert(at);
            }
            all.words.insert(at, words);
        }
        all
    }

    /// Candidates that a name could stand for.
    fn near(&self, space: uuid::Uuid, words: &[&'n str]) -> BTreeSet<usize> {
        let first = words.first().copied().unwrap_or_default();
        let long = english().long_for(first).iter().copied();
        let keys = [Some(first), words.last().copied(), first.get(..BEGINS)].into_iter().flatten().chain(long);
        keys.filter_map(|key| self.by.get(&(space, key))).flatten().copied().collect()
    }
}

/// `Ana` and `Ana Silva`, `Mel` and `Melanie`, `J. Doe` and `Jane Doe`.
fn persons(names: &[Name]) -> Vec<Could> {
    let persons = Persons::of(names);
    let mut all = Vec::new();
    for (at, words) in &persons.words {
        let Some(name) = names.get(*at) else { continue };
        let mut by: BTreeMap<bool, Vec<usize>> = BTreeMap::new();
        for other in persons.near(name.space, words).into_iter().filter(|other| other != at) {
            if let Some(alike) = persons.words.get(&other).and_then(|them| stands_for(words, them)) {
                by.entry(alike < EQUAL).or_default().push(other);
            }
        }
        // A person's full name takes precedence over possible short forms.
        let found = by.remove_entry(&false).or_else(|| by.remove_entry(&true));
        all.extend(found.map(|(shortened, others)| {
            let alike = if shortened { SHORTENED } else { EQUAL };
            Could { at: *at, others, alike }
        }));
    }
    all
}

/// Rates how well a name may stand for another, longer one.
fn stands_for(short: &[&str], long: &[&str]) -> Option<f64> {
    match (short, long) {
        ([one], [first, .., last]) if one == first => Some(EQUAL).filter(|_| last != one),
        ([one], [.., last]) if long.len() > 1 && one == last => Some(SHORTENED),
        ([one], [first, ..]) if is_short(one, first) => Some(SHORTENED),
        ([a, .., b], [c, .., d]) if b == d && long.len() >= short.len() && short != long => (a == c
            && long.len() > short.len())
        .then_some(EQUAL)
        .or_else(|| (is_short(a, c) || is_initial(a, c)).then_some(SHORTENED)),
        _ => None,
    }
}

/// Reports whether `short` is a known short form of `long` or its beginning.
fn is_short(short: &str, long: &str) -> bool {
    let begins = short.len() >= 3
        && long.len() > short.len()
        && long.starts_with(short)
        && !english().is("given", long.get(short.len()..).unwrap_or_default());
    english().long_for(short).contains(&long) || (begins && long.len() - short.len() > 1)
}

fn is_initial(short: &str, long: &str) -> bool {
    short.len() == 1 && long.len() > 1 && long.starts_with(short)
}

/// Groups of names, as a forest of parents.
struct Groups {
    of: Vec<usize>,
}

impl Groups {
    fn root(&self, at: usize) -> usize {
        let mut at = at;
        while let Some(up) = self.of.get(at).filter(|up| **up != at) {
            at = *up;
        }
        at
    }

    /// Joins two groups, unless a person ruled that members of the two differ.
    fn join(&mut self, a: usize, b: usize, apart: &[(usize, usize)]) {
        let (a, b) = (self.root(a), self.root(b));
        let parted = |pair: &(usize, usize)| {
            let (c, d) = (self.root(pair.0), self.root(pair.1));
            (c, d) == (a, b) || (d, c) == (a, b)
        };
        if a == b || apart.iter().any(parted) {
            return;
        }
        if let Some(up) = self.of.get_mut(a.max(b)) {
            *up = a.min(b);
        }
    }

    fn all(self) -> Vec<Vec<usize>> {
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for at in 0..self.of.len() {
            groups.entry(self.root(at)).or_default().push(at);
        }
        groups.into_values().collect()
    }
}
