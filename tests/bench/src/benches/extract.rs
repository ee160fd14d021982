//! Quality of rule-based extraction, against labels written before the rules, and its speed. One half of the labels
//! was never looked at while rules were written.
//!
//! An extraction is correct if its sentence overlaps a label of its class, and junk if it overlaps none. Optional
//! labels count neither as found nor as missed.

use std::collections::HashMap;
use std::ops::Range;
use std::time::Instant;

use kimberly_core::Timestamp;
use kimberly_core::extraction::{Candidate, Class, Language, Nature, Options as Reading, Said, extract};
use kimberly_core::memory::Role;
use serde::Deserialize;

use super::recall_quality::sets;
use crate::report::{Report, Table, say};
use crate::{Options, Result};

const LABELS: &str = include_str!("../../labels/extraction.jsonl");
/// Preceding messages read along with a message.
const BEFORE: usize = 6;
const CLASSES: [&str; 7] = ["fact", "preference", "decision", "plan", "instruction", "knowledge", "correction"];

#[derive(Deserialize)]
struct Label {
    half: String,
    source: Source,
    role: String,
    speaker: String,
    /// The text of messages written for this purpose.
    content: Option<String>,
    items: Vec<Labelled>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Source {
    Set { set: String, conversation: String, message: usize },
    Written(#[expect(dead_code, reason = "always the same word")] String),
}

#[derive(Deserialize)]
struct Labelled {
    class: String,
    span: [usize; 2],
    #[serde(default)]
    also: Vec<String>,
    #[serde(default)]
    optional: bool,
    #[serde(default)]
    sensitive: bool,
}

/// A message of a set.
pub(super) struct Message {
    pub(super) role: Role,
    pub(super) name: String,
    pub(super) text: String,
    pub(super) at: Option<Timestamp>,
}

#[derive(Clone, Copy, Default)]
struct Counts {
    found: f64,
    right: f64,
    junk: f64,
    wanted: f64,
    met: f64,
}

/// Extracts from every labelled message and counts; then measures the speed on all texts.
pub(crate) fn run(_options: Options, report: &mut Report) -> Result<()> {
    let conversations = conversations()?;
    let mut table = Table::new(&["half", "class", "found", "precision", "recall", "F1", "junk"]);
    for half in ["looked_at", "held_out"] {
        let (all, by_class) = count(half, &conversations)?;
        for (class, counts) in CLASSES.iter().copied().zip(by_class).chain([("all", all)]) {
            let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { f64::NAN };
            let (precision, recall) = (share(counts.right, counts.found), share(counts.met, counts.wanted));
            let f1 = 2.0 * precision * recall / (precision + recall);
            let junk = share(counts.junk, counts.found);
            let shares = [precision, recall, f1, junk];
            for (name, value) in ["precision", "recall", "f1", "junk"].iter().zip(shares) {
                report.set(format!("{half}.{class}.{name}"), value);
            }
            let cells = shares.map(|share| if share.is_nan() { "-".to_owned() } else { format!("{share:.3}") });
            let title = [half.to_owned(), class.to_owned(), format!("{:.0}", counts.found)];
            table.row(title.into_iter().chain(cells));
        }
    }
    say(&table.text());
    speed(&conversations, report);
    Ok(())
}

/// Messages by set and conversation.
pub(super) type Conversations = HashMap<(String, String), Vec<Message>>;

/// All of them.
pub(super) fn conversations() -> Result<Conversations> {
    let mut all = HashMap::new();
    for set in sets::read()?.into_iter().filter(|set| set.name != "sessions") {
        for conversation in set.conversations {
            let messages = conversation.turns.into_iter().map(|turn| Message {
                role: if turn.speaker == "assistant" { Role::Assistant } else { Role::User },
                at: (turn.session_at > 0).then(|| spoken(turn.session_at, turn.position)),
                name: if ["user", "assistant"].contains(&turn.speaker.as_str()) { String::new() } else { turn.speaker },
                text: turn.text,
            });
            all.insert((set.name.to_owned(), conversation.name), messages.collect());
        }
    }
    Ok(all)
}

/// A turn's time is its session's start plus its position in seconds.
fn spoken(session_at: i64, position: usize) -> Timestamp {
    Timestamp((session_at + i64::try_from(position).unwrap_or(0)) * 1_000_000)
}

fn said(message: &Message) -> Said<'_> {
    Said { role: message.role, name: &message.name, content: &message.text, at: message.at }
}

fn count(half: &str, conversations: &Conversations) -> Result<(Counts, [Counts; CLASSES.len()])> {
    let (mut all, mut by_class) = (Counts::default(), [Counts::default(); CLASSES.len()]);
    for line in LABELS.lines() {
        let label: Label = serde_json::from_str(line)?;
        if label.half != half {
            continue;
        }
        let Some(found) = read(&label, conversations) else { continue };
        let overlaps = |item: &Labelled, span: &Range<usize>| item.span[0] < span.end && span.start < item.span[1];
        for candidate in &found {
            let touched: Vec<&Labelled> = label.items.iter().filter(|item| overlaps(item, &candidate.span)).collect();
            let is_right = touched.iter().any(|item| is_of(item, candidate));
            for counts in [&mut all, &mut by_class[class_of(candidate)]] {
                counts.found += 1.0;
                counts.right += f64::from(u8::from(is_right));
                counts.junk += f64::from(u8::from(touched.is_empty()));
            }
        }
        for item in label.items.iter().filter(|item| !item.optional && !item.sensitive) {
            let is_met = found.iter().any(|candidate| overlaps(item, &candidate.span));
            let class = CLASSES.iter().position(|class| *class == item.class).ok_or("a class that is none")?;
            for counts in [&mut all, &mut by_class[class]] {
                counts.wanted += 1.0;
                counts.met += f64::from(u8::from(is_met));
            }
        }
    }
    Ok((all, by_class))
}

/// The extractions of a labelled message; `None` if its set is missing.
fn read(label: &Label, conversations: &Conversations) -> Option<Vec<Candidate>> {
    let written;
    let (message, before) = match &label.source {
        Source::Set { set, conversation, message } => {
            let messages = conversations.get(&(set.clone(), conversation.clone()))?;
            (messages.get(*message)?, messages.get(message.saturating_sub(BEFORE)..*message)?)
        }
        Source::Written(_) => {
            let role = Role::ALL.iter().find(|role| role.name() == label.role).copied()?;
            let name = if label.speaker == label.role { String::new() } else { label.speaker.clone() };
            let at = Some(Timestamp(1_795_168_800_000_000));
            written = Message { role, name, text: label.content.clone()?, at };
            (&written, &[][..])
        }
    };
    let before: Vec<Said<'_>> = before.iter().map(said).collect();
    let language = Language::guess(&message.text);
    Some(extract(language, &said(message), &before, Reading::default()).candidates)
}

fn name_of(candidate: &Candidate) -> &'static str {
    match candidate.nature {
        _ if candidate.corrects => "correction",
        Nature::Plan => "plan",
        Nature::Instruction => "instruction",
        Nature::State | Nature::Event => match candidate.class {
            Class::Fact => "fact",
            Class::Preference => "preference",
            Class::Decision => "decision",
            Class::Knowledge => "knowledge",
        },
    }
}

fn class_of(candidate: &Candidate) -> usize {
    CLASSES.iter().position(|class| *class == name_of(candidate)).unwrap_or(0)
}

/// Whether a label matches a candidate's class. A correction may be labelled with the class of its statement instead.
fn is_of(item: &Labelled, candidate: &Candidate) -> bool {
    let names = [name_of(candidate), candidate.class.name()];
    names.iter().any(|name| item.class == *name || item.also.iter().any(|also| also == name))
}

fn speed(conversations: &Conversations, report: &mut Report) {
    let (mut bytes, mut found) = (0, 0);
    let start = Instant::now();
    for messages in conversations.values() {
        for (index, message) in messages.iter().enumerate() {
            let before: Vec<Said<'_>> = messages[index.saturating_sub(BEFORE)..index].iter().map(said).collect();
            let language = Language::guess(&message.text);
            found += extract(language, &said(message), &before, Reading::default()).candidates.len();
            bytes += message.text.len();
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "some megabytes")]
    let rate = bytes as f64 / 1e6 / start.elapsed().as_secs_f64();
    report.set("mb_per_second", rate);
    say(&format!("{found} extractions from {bytes} bytes, {rate:.1} MB/s on one core"));
}
