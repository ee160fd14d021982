//! Quality of the rules for entities: the names they find, the names they join, the relations between them, and the
//! statements that contradict each other. Measured against labels written before the rules. One half of the labels was
//! never looked at while rules were written.
//!
//! A mention is right if a label has its bytes, and its type or an accepted alternative. A relation is right if a label
//! of its message has its type and its sides. Optional labels count neither as found nor as missed.

mod contradictions;
pub(super) mod labels;

use std::collections::{BTreeMap, BTreeSet};

use kimberly_core::Timestamp;
use kimberly_core::entities::{EntityType, Graph, Mention, MentionPosition, NameId, Tie, mentions_of};
use kimberly_core::ids::{MemoryId, Seq};
use kimberly_core::memory::{Memory, MemoryDraft};

use self::labels::{Labelled, Related, labels};
use super::extract::{Conversations, conversations};
use crate::report::{Report, Table, say};
use crate::{Options, Result};

const NOW: Timestamp = Timestamp(1_795_168_800_000_000);

/// Counts: found, right among the found, wanted by labels, and found among the wanted.
#[derive(Clone, Copy, Default)]
struct Counts {
    found: f64,
    right: f64,
    wanted: f64,
    met: f64,
}

impl Counts {
    fn add(&mut self, other: Self) {
        self.found += other.found;
        self.right += other.right;
        self.wanted += other.wanted;
        self.met += other.met;
    }
}

type Tally = BTreeMap<String, Counts>;

/// The statements that rules find in a conversation.
struct Read {
    graph: Graph,
    mentions: Vec<Vec<Mention>>,
    ties: Vec<Vec<Tie>>,
    texts: Vec<String>,
}

/// Reads every labelled conversation, and compares the result with the labels.
pub(crate) fn run(_options: Options, report: &mut Report) -> Result<()> {
    let conversations = conversations()?;
    let (entities, relations) = (labels::<Labelled>("entities")?, labels::<Related>("relations")?);
    let mut table = Table::new(&["half", "class", "found", "precision", "recall", "F1"]);
    for half in ["looked_at", "held_out"] {
        let mut tally = Tally::new();
        let wanted: Vec<&Labelled> = entities.iter().filter(|label| label.half == half).collect();
        let of: BTreeSet<(String, String)> =
            wanted.iter().map(|label| (label.set.clone(), label.conversation.clone())).collect();
        for key in of {
            let Some(read) = read(&conversations, &key) else { continue };
            let ours: Vec<&Labelled> =
                wanted.iter().copied().filter(|label| (&label.set, &label.conversation) == (&key.0, &key.1)).collect();
            for label in &ours {
                count_mentions(&read, label, &mut tally);
            }
            count_pairs(&read, &ours, &mut tally);
            for label in relations.iter().filter(|label| (&label.set, &label.conversation) == (&key.0, &key.1)) {
                let named = ours.iter().find(|entities| entities.message == label.message);
                if let Some(named) = named.filter(|_| label.half == half) {
                    count_relations(&read, label, named, &mut tally);
                }
            }
        }
        contradictions::count(half, &conversations, &mut tally)?;
        tell(half, &tally, &mut table, report);
    }
    say(&table.text());
    Ok(())
}

fn tell(half: &str, tally: &Tally, table: &mut Table, report: &mut Report) {
    for (class, counts) in tally {
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { f64::NAN };
        let (precision, recall) = (share(counts.right, counts.found), share(counts.met, counts.wanted));
        let shares = [precision, recall, 2.0 * precision * recall / (precision + recall)];
        for (name, value) in ["precision", "recall", "f1"].iter().zip(shares) {
            report.set(format!("{half}.{class}.{name}"), value);
        }
        let cells = shares.map(|share| if share.is_nan() { "-".to_owned() } else { format!("{share:.3}") });
        let title = [half.to_owned(), class.clone(), format!("{:.0}", counts.found)];
        table.row(title.into_iter().chain(cells));
    }
}

/// Reads a whole conversation, as a meditation does.
fn read(conversations: &Conversations, key: &(String, String)) -> Option<Read> {
    let messages = conversations.get(key)?;
    let record = |(at, message): (usize, &super::extract::Message)| {
        let speaker = if message.name.is_empty() { message.role.name() } else { message.name.as_str() };
        let draft =
            MemoryDraft { content: message.text.clone(), speaker: Some(speaker.to_owned()), ..MemoryDraft::default() };
        let id = MemoryId::parse("id", &format!("mem_{at:08x}-0000-7000-8000-000000000000")).ok()?;
        Some(Memory::new(id, Seq(i64::try_from(at).unwrap_or(0)), draft, message.at.unwrap_or(NOW)))
    };
    let records: Vec<Memory> = messages.iter().enumerate().filter_map(record).collect();
    let mentions: Vec<Vec<Mention>> = records.iter().map(mentions_of).collect();
    let ties: Vec<Vec<Tie>> = records.iter().map(Tie::all_of).collect();
    let graph = Graph::of(mentions.concat(), ties.concat(), &[], NOW);
    Some(Read { graph, mentions, ties, texts: records.into_iter().map(|record| record.draft.content).collect() })
}

/// The mentions found in a message, each with its bytes, the type of its entity, and its name.
fn told(read: &Read, message: usize) -> Vec<(std::ops::Range<usize>, EntityType, NameId)> {
    let mentions = read.mentions.get(message).map(Vec::as_slice).unwrap_or_default();
    let shown = |mention: &Mention| {
        let MentionPosition::Content(span) = &mention.position else { return None };
        let entity = read.graph.of_name(mention.name)?;
        Some((span.start as usize..span.end as usize, entity.kind, mention.name))
    };
    mentions.iter().filter_map(shown).collect()
}

fn count_mentions(read: &Read, label: &Labelled, tally: &mut Tally) {
    let text = read.texts.get(label.message).map(String::as_str).unwrap_or_default();
    let told = told(read, label.message);
    let mut add = |class: &str, counts: Counts| {
        for class in [class, "all mentions"] {
            tally.entry(class.to_owned()).or_default().add(counts);
        }
    };
    for (span, kind, _) in &told {
        let touched: Vec<_> =
            label.mentions.iter().filter(|one| one.start < span.end && span.start < one.end).collect();
        if touched.iter().any(|one| one.optional) || is_fenced(text, span.start) {
            continue;
        }
        let right = touched.iter().any(|one| (one.start, one.end) == (span.start, span.end) && one.may_be(*kind));
        add(kind.name(), Counts { found: 1.0, right: f64::from(u8::from(right)), ..Counts::default() });
    }
    for one in label.mentions.iter().filter(|one| !one.optional) {
        let met =
            told.iter().any(|(span, kind, _)| (one.start, one.end) == (span.start, span.end) && one.may_be(*kind));
        add(&one.class(), Counts { wanted: 1.0, met: f64::from(u8::from(met)), ..Counts::default() });
    }
}

/// Whether a byte is inside a code block, where nothing is labelled.
fn is_fenced(text: &str, at: usize) -> bool {
    text.get(..at).is_some_and(|before| before.matches("```").count() % 2 == 1)
}

/// Counts the pairs of different names that are joined, against the labels.
fn count_pairs(read: &Read, labels: &[&Labelled], tally: &mut Tally) {
    let mut forms: BTreeMap<NameId, BTreeSet<&str>> = BTreeMap::new();
    for label in labels {
        for (span, _, name) in told(read, label.message) {
            let same = |one: &&labels::Mention| (one.start, one.end) == (span.start, span.end);
            if let Some(one) = label.mentions.iter().find(same).filter(|one| !one.optional && !one.unsure) {
                forms.entry(name).or_default().insert(&one.entity);
            }
        }
    }
    // Omits names that mean two things in one conversation, because the rules cannot distinguish these.
    let sure: Vec<(NameId, &str)> =
        forms.iter().filter(|(_, of)| of.len() == 1).filter_map(|(name, of)| Some((*name, *of.first()?))).collect();
    let mut counts = Counts::default();
    for (at, (name, entity)) in sure.iter().enumerate() {
        for (other, theirs) in sure.iter().skip(at + 1) {
            let id = |name: NameId| read.graph.of_name(name).map(|entity| entity.id);
            let (taken, one) = (id(*name) == id(*other), entity == theirs);
            counts.found += f64::from(u8::from(taken));
            counts.right += f64::from(u8::from(taken && one));
            counts.wanted += f64::from(u8::from(one));
            counts.met += f64::from(u8::from(taken && one));
        }
    }
    tally.entry("pairs of names".to_owned()).or_default().add(counts);
}

fn count_relations(read: &Read, label: &Related, named: &Labelled, tally: &mut Tally) {
    let ties = read.ties.get(label.message).map(Vec::as_slice).unwrap_or_default();
    let mentions = read.mentions.get(label.message).map(Vec::as_slice).unwrap_or_default();
    let side = |name: NameId| -> BTreeSet<String> {
        let of = mentions.iter().filter(|mention| mention.name == name);
        let sides = of.flat_map(|mention| match mention.position.span() {
            Some(span) => named.entities_at(span.start as usize..span.end as usize),
            None => ["speaker", "user", "first_speaker", "second_speaker"].map(str::to_owned).to_vec(),
        });
        sides.collect()
    };
    let found: Vec<(&Tie, BTreeSet<String>, BTreeSet<String>)> =
        ties.iter().map(|tie| (tie, side(tie.from), side(tie.to))).collect();
    let same = |one: &labels::Relation, (tie, from, to): &(&Tie, BTreeSet<String>, BTreeSet<String>)| {
        let ahead = from.contains(&one.subject) && to.contains(&one.object);
        let back = tie.relation.is_mutual() && from.contains(&one.object) && to.contains(&one.subject);
        one.class == tie.relation.name() && (ahead || back)
    };
    let mut add = |class: &str, counts: Counts| {
        for class in [class, "all relations"] {
            tally.entry(class.to_owned()).or_default().add(counts);
        }
    };
    for tie in found.iter().filter(|(tie, ..)| labels::RELATIONS.contains(&tie.relation.name())) {
        let touched: Vec<_> = label.relations.iter().filter(|one| same(one, tie)).collect();
        if touched.is_empty() || touched.iter().any(|one| !one.optional) {
            let right = f64::from(u8::from(!touched.is_empty()));
            add(tie.0.relation.name(), Counts { found: 1.0, right, ..Counts::default() });
        }
    }
    for one in label.relations.iter().filter(|one| !one.optional && !one.is_unnamed()) {
        let met = f64::from(u8::from(found.iter().any(|tie| same(one, tie))));
        add(&one.class, Counts { wanted: 1.0, met, ..Counts::default() });
    }
}
