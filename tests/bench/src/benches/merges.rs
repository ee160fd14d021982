//! Quality of merging: which labelled statements and notes the rules merge, and whether the merged text keeps every
//! detail. One half of the labels was never looked at while rules were written.
//!
//! A cluster is found if all of its texts become one record. A detail is lost if the merged text lacks a labelled
//! detail, or a number or a capitalized word of a source.

use std::collections::{BTreeMap, BTreeSet};

use kimberly_core::Timestamp;
use kimberly_core::ids::{MemoryId, Seq};
use kimberly_core::memory::{DraftLimits, Memory, MemoryDraft};
use kimberly_core::merging::{Note, clusters, merged};
use serde::Deserialize;

use super::extract::{Conversations, conversations};
use super::graph::labels::labels;
use crate::report::{Report, Table, say};
use crate::{Options, Result};

const NOW: Timestamp = Timestamp(1_795_168_800_000_000);

/// A labelled cluster of statements in messages.
#[derive(Deserialize)]
struct Cluster {
    half: String,
    set: String,
    conversation: String,
    label: String,
    spans: Vec<Span>,
    #[serde(default)]
    optional: bool,
}

#[derive(Deserialize)]
struct Span {
    message: usize,
    start: usize,
    end: usize,
}

/// A labelled cluster of notes that were written for this benchmark.
#[derive(Deserialize)]
struct Written {
    half: String,
    label: String,
    texts: Vec<String>,
    #[serde(default)]
    details: Vec<String>,
}

/// A cluster to merge, or one that must stay separate.
struct Labelled {
    half: String,
    set: &'static str,
    same: bool,
    records: Vec<Memory>,
    details: Vec<String>,
}

#[derive(Default)]
struct Counts {
    wanted: f64,
    found: f64,
    right: f64,
    lost: f64,
    bytes_before: f64,
    bytes_after: f64,
}

/// Merges every labelled cluster, and counts the results.
pub(crate) fn run(_options: Options, report: &mut Report) -> Result<()> {
    let mut all = said(&conversations()?)?;
    all.extend(labels::<Written>("merges")?.into_iter().map(written));
    let mut tally: BTreeMap<(&str, &str), Counts> = BTreeMap::new();
    for label in &all {
        let half = if label.half == "held_out" { "held_out" } else { "looked_at" };
        for set in [label.set, "all"] {
            count(label, tally.entry((half, set)).or_default());
        }
    }
    let mut table = Table::new(&["half", "set", "found", "precision", "recall", "lost", "bytes"]);
    for ((half, set), counts) in &tally {
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { f64::NAN };
        let figures = [
            ("found", counts.found),
            ("precision", share(counts.right, counts.found)),
            ("recall", share(counts.right, counts.wanted)),
            ("lost_a_detail", counts.lost),
            ("bytes_left", share(counts.bytes_after, counts.bytes_before)),
        ];
        for (name, value) in figures {
            report.set(format!("{half}.{set}.{name}"), value);
        }
        let cells =
            figures.map(|(_, value)| if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.3}") });
        table.row([(*half).to_owned(), (*set).to_owned()].into_iter().chain(cells));
    }
    say(&table.text());
    Ok(())
}

fn said(conversations: &Conversations) -> Result<Vec<Labelled>> {
    let mut all = Vec::new();
    for cluster in labels::<Cluster>("clusters")?.into_iter().filter(|cluster| !cluster.optional) {
        let messages = conversations.get(&(cluster.set.clone(), cluster.conversation.clone()));
        let record = |(number, span): (i64, &Span)| {
            let message = messages?.get(span.message)?;
            let content = message.text.get(span.start..span.end)?.to_owned();
            let speaker = if message.name.is_empty() { message.role.name() } else { message.name.as_str() };
            let draft = MemoryDraft { content, speaker: Some(speaker.to_owned()), ..MemoryDraft::default() };
            record(number, draft, message.at.unwrap_or(NOW))
        };
        let records: Option<Vec<Memory>> = (1..).zip(&cluster.spans).map(record).collect();
        let records =
            records.ok_or_else(|| format!("a label of {} in {} leads nowhere", cluster.conversation, cluster.set))?;
        let (half, same) = (cluster.half, cluster.label == "same");
        all.push(Labelled { half, set: "said", same, records, details: Vec::new() });
    }
    Ok(all)
}

fn written(label: Written) -> Labelled {
    let draft = |content: String| MemoryDraft { content, ..MemoryDraft::default() };
    let records = (1..).zip(label.texts).filter_map(|(number, text)| record(number, draft(text), NOW)).collect();
    Labelled { half: label.half, set: "written", same: label.label == "same", records, details: label.details }
}

fn record(number: i64, draft: MemoryDraft, at: Timestamp) -> Option<Memory> {
    let id = MemoryId::parse("id", &format!("mem_{number:08x}-0000-7000-8000-000000000000")).ok()?;
    Some(Memory::new(id, Seq(number), draft, at))
}

#[expect(clippy::cast_precision_loss, reason = "texts are short")]
fn count(label: &Labelled, counts: &mut Counts) {
    counts.wanted += f64::from(u8::from(label.same));
    let notes: Vec<Note> = label.records.iter().filter_map(Note::of).collect();
    let whole = clusters(&notes, &BTreeSet::new()).iter().any(|cluster| cluster.len() == label.records.len());
    let Some(made) = merged(&label.records, DraftLimits::default()).filter(|_| whole) else { return };
    counts.found += 1.0;
    counts.right += f64::from(u8::from(label.same));
    counts.lost += f64::from(u8::from(!is_whole(label, &made.content)));
    counts.bytes_before += label.records.iter().map(|record| record.draft.content.len()).sum::<usize>() as f64;
    counts.bytes_after += made.content.len() as f64;
}

/// Whether a merged text has every labelled detail, and every number and capitalized word of its sources.
fn is_whole(label: &Labelled, text: &str) -> bool {
    let text = text.to_lowercase();
    let has = |detail: &str| text.contains(&detail.to_lowercase());
    let telling = |word: &&str| word.starts_with(|c: char| c.is_numeric() || c.is_uppercase()) && word.len() > 1;
    let words = label.records.iter().flat_map(|record| record.draft.content.split(|c: char| !c.is_alphanumeric()));
    label.details.iter().all(|detail| has(detail)) && words.filter(telling).all(has)
}
