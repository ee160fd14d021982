//! Compares a limited reader with a reader of a vault that never held the memories out of reach.

use std::collections::BTreeMap;
use std::sync::Arc;

use kimberly_core::bounds::MAX_PAGE_BYTES;
use kimberly_core::error::Result;
use kimberly_core::ids::{MemoryId, Seq};
use kimberly_core::meditation::Kind;
use kimberly_core::memory::{ListOrder, Memory, MemoryDraft, MemoryFilter, MemoryState};
use kimberly_core::ports::{
    ChangeQuery, LexicalHit, LexicalQuery, LexicalTerm, ListKey, RowFacts, SessionSpot, VaultReader, Vaults,
};
use kimberly_core::scoring::ScoreRecord;

use super::dice::{Dice, SESSIONS, WORDS};
use super::limited;
use crate::conformance::Bed;
use crate::conformance::fixtures::{at, decide, memory_id, new_memory, user};

/// Memories of a random vault.
const MEMORIES: u32 = 24;
/// Seeds of the random vaults.
const SEEDS: std::ops::Range<u64> = 0..6;

/// For random vaults and limits, each read method returns the same as in a vault without the memories out of reach,
/// except for numbers, which callers never see, and BM25.
pub async fn a_limited_reader_is_one_of_a_vault_without_the_rest(bed: &Bed) {
    let mut hidden = 0;
    for seed in SEEDS {
        let mut dice = Dice(seed);
        let drafts: Vec<MemoryDraft> = (0..MEMORIES).map(|_| dice.draft()).collect();
        let rows = dice.rows();
        let (whole, bare) = (format!("whole {seed}"), format!("bare {seed}"));
        let states: Vec<MemoryState> = (0..MEMORIES).map(|_| dice.one(MemoryState::ALL)).collect();
        let reached: Vec<bool> = drafts.iter().map(|draft| rows.admit_draft(draft)).collect();
        hidden += reached.iter().filter(|reached| !**reached).count();
        fill(bed, &whole, &drafts, &states, &|_| true).await;
        fill(bed, &bare, &drafts, &states, &|n| reached[n]).await;
        let asked: Vec<MemoryFilter> = (0..6).map(|_| dice.filter()).collect();
        let expected = seen(&bed.vaults, &bare, asked.clone()).await;
        let found = seen(&limited(bed, rows.clone()), &whole, asked).await;
        for (what, expected) in &expected {
            assert_eq!(found.get(what), Some(expected), "{what}, with seed {seed} and {rows:?}");
        }
    }
    assert!(hidden > 20, "only {hidden} memories were hidden: the test looked past it");
}

/// Fills a vault with the wanted memories, and applies to them the changes made to all.
async fn fill(bed: &Bed, who: &str, drafts: &[MemoryDraft], states: &[MemoryState], wanted: &dyn Fn(usize) -> bool) {
    let chosen = || (0..drafts.len()).filter(|n| wanted(*n));
    let number = |n: usize| u32::try_from(n + 1).unwrap();
    for n in chosen() {
        // One transaction each, because memories of one transaction share a time.
        bed.insert(who, vec![new_memory(number(n), drafts[n].clone())]).await;
    }
    for n in chosen() {
        let memory = bed.memory(who, number(n).into()).await.unwrap();
        match states[n] {
            MemoryState::Active => {}
            MemoryState::Archived => {
                bed.decide(who, 1, vec![decide(&memory, Kind::Archive)], at(500)).await;
            }
            MemoryState::Deleted => bed.set_state(who, memory.seq, MemoryState::Deleted).await,
        }
    }
}

type Seen = BTreeMap<String, String>;

/// Returns a reader's answers to all kinds of queries, without numbers.
async fn seen(vaults: &Arc<dyn Vaults>, who: &str, filters: Vec<MemoryFilter>) -> Seen {
    let (user, filters) = (user(who), Arc::new(filters));
    let all = vaults.read(&user, move |r| {
        let filters = Arc::clone(&filters);
        Box::pin(async move {
            let mut seen = Seen::new();
            single(r, &mut seen).await?;
            whole(r, &mut seen).await?;
            for (n, filter) in filters.iter().enumerate() {
                filtered(r, &format!("filter {n}: {filter:?}"), filter, &mut seen).await?;
            }
            Ok(seen)
        })
    });
    all.await.unwrap()
}

/// Queries by id.
async fn single(r: &mut dyn VaultReader, seen: &mut Seen) -> Result<()> {
    let ids: Vec<MemoryId> = (1..=MEMORIES + 1).map(|n| memory_id(n.into())).collect();
    let numbers = r.seqs(&ids).await?;
    note(seen, "ids with numbers", &numbers.iter().map(|(id, _)| *id).collect::<Vec<_>>());
    let facts = r.row_facts(&ids).await?;
    note(seen, "facts", &facts.into_iter().map(|f| f.map(|f| RowFacts { seq: Seq(0), ..f })).collect::<Vec<_>>());
    let mut records = r.records(&ids).await?;
    records.sort_by_key(|record| record.memory.id);
    let records = records.into_iter().map(|record| {
        let score = record.score.map(ScoreRecord::of_itself);
        (without_number(record.memory), record.helpful, record.unhelpful, score)
    });
    note(seen, "records", &records.collect::<Vec<_>>());
    for id in ids {
        note(seen, &format!("memory {id}"), &r.memory(id).await?.map(without_number));
        let decisions = r.decisions_about(id, 9).await?;
        let told = decisions.iter().map(|d| (d.decision.kind, d.decision.reason, d.decided_at));
        note(seen, &format!("decisions about {id}"), &told.collect::<Vec<_>>());
    }
    for (id, seq) in numbers {
        note(seen, &format!("score of {id}"), &r.score_record(seq).await?.map(ScoreRecord::of_itself));
    }
    Ok(())
}

/// Queries without a filter.
async fn whole(r: &mut dyn VaultReader, seen: &mut Seen) -> Result<()> {
    let seqs: Vec<Seq> = (0..=i64::from(MEMORIES) + 1).map(Seq).collect();
    let memories = r.memories(&seqs).await?;
    note(seen, "memories", &memories.into_iter().map(without_number).collect::<Vec<_>>());
    for session in SESSIONS.into_iter().chain(["never"]) {
        note(seen, &format!("session {session}"), &r.session_number(session).await?.is_some());
    }
    note(seen, "known words", &r.known_words(&WORDS.map(str::to_owned), None).await?);
    Ok(())
}

/// All queries with a filter.
async fn filtered(r: &mut dyn VaultReader, name: &str, filter: &MemoryFilter, seen: &mut Seen) -> Result<()> {
    let mut listed: Vec<Memory> = Vec::new();
    loop {
        let after = listed.last().map(|last| ListKey { created_at: last.created_at, seq: last.seq });
        let page = r.list(filter, ListOrder::NewestFirst, after, 5, MAX_PAGE_BYTES).await?;
        if page.is_empty() {
            break;
        }
        listed.extend(page);
    }
    note(seen, &format!("list, {name}"), &listed.into_iter().map(without_number).collect::<Vec<_>>());
    for word in WORDS {
        let term = LexicalTerm { prefix: true, ..LexicalTerm::word(word) };
        let query = LexicalQuery { any: vec![term], all: Vec::new(), filter: filter.clone() };
        let hits = r.lexical(&query, 100).await?;
        note(seen, &format!("lexical {word}, {name}"), &named(r, &hits, true).await?);
        let hits = r.substring(&word[1..], filter, 100).await?;
        note(seen, &format!("substring {word}, {name}"), &named(r, &hits, false).await?);
    }
    let seqs: Vec<Seq> = (0..=i64::from(MEMORIES) + 1).map(Seq).collect();
    let hits = r.at_seqs(&seqs, filter).await?;
    note(seen, &format!("by number, {name}"), &named(r, &hits, true).await?);
    let spots =
        (0..4).flat_map(|session| (0..i64::from(MEMORIES)).map(move |position| SessionSpot { session, position }));
    let hits = r.at_spots(&spots.collect::<Vec<_>>(), filter).await?;
    note(seen, &format!("by place, {name}"), &named(r, &hits, true).await?);
    let known = r.known_words(&WORDS.map(str::to_owned), Some(filter)).await?;
    note(seen, &format!("known words, {name}"), &known);
    let exported = r.export(filter, None, 100, MAX_PAGE_BYTES).await?;
    let exported = exported.into_iter().map(|record| without_number(record.memory));
    note(seen, &format!("export, {name}"), &exported.collect::<Vec<_>>());
    let query = ChangeQuery { filter: filter.clone(), with_memories: true, limit: 1_000, max_bytes: 1 << 20, after: 0 };
    let changes = r.changes(&query).await?;
    let passing = changes.into_iter().filter(|seen| seen.passes).map(|seen| {
        let change = seen.change;
        (change.kind, change.memory_id, change.at, change.reason, change.revision, seen.memory.map(without_number))
    });
    note(seen, &format!("changes, {name}"), &passing.collect::<Vec<_>>());
    Ok(())
}

fn note(seen: &mut Seen, what: &str, said: &impl std::fmt::Debug) {
    seen.insert(what.to_owned(), format!("{said:?}"));
}

fn without_number(memory: Memory) -> Memory {
    Memory { seq: Seq(0), ..memory }
}

/// Returns the ids of hits, in order of the hits or sorted.
async fn named(r: &mut dyn VaultReader, hits: &[LexicalHit], sorted: bool) -> Result<Vec<MemoryId>> {
    let seqs: Vec<Seq> = hits.iter().map(|hit| hit.seq).collect();
    let mut ids: Vec<MemoryId> = r.memories(&seqs).await?.into_iter().map(|memory| memory.id).collect();
    assert_eq!(ids.len(), hits.len(), "a hit is of a memory that cannot be read");
    if sorted {
        ids.sort_unstable();
    }
    Ok(ids)
}
