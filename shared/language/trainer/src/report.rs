//! Tables of figures, and lists of errors.

use std::fmt::Write as _;

use kimberly_language::judge::weights::Dense;
use kimberly_language::judge::{Head, Kind, OUTPUTS, Owner, Polarity, Slot};

use crate::calibrate::scored;
use crate::measure::{Pairs, average_precision, precision_recall, said, share};
use crate::rounds::Material;

const LANGUAGES: [&str; 6] = ["en", "de", "es", "fr", "it", "pt"];
/// Slots with fewer examples are named.
const FEW: usize = 30;

/// What was said about some sentences, ready to be measured.
pub struct Said<'m> {
    /// The sentences.
    pub material: &'m Material,
    /// Those that count.
    pub chosen: Vec<usize>,
    /// The outputs of all.
    pub outputs: &'m [[f32; OUTPUTS]],
    /// Calibration and thresholds.
    pub dense: &'m Dense,
}

impl Said<'_> {
    fn keep_average(&self, chosen: &[usize]) -> f32 {
        let scored = scored(&self.material.examples, chosen, self.outputs, &self.dense.calibration, Head::Keep);
        average_precision(&scored)
    }

    /// The average precision of keep.
    pub fn average(&self) -> f32 {
        self.keep_average(&self.chosen)
    }

    fn pairs(&self, chosen: &[usize], head: Head) -> Pairs {
        let mut pairs = Pairs::default();
        let examples = &self.material.examples;
        if head.width() == 1 {
            let threshold = self.dense.thresholds[if head == Head::Momentary { 2 } else { 3 }];
            for (score, truth) in scored(examples, chosen, self.outputs, &self.dense.calibration, head) {
                pairs.add(usize::from(score >= threshold), usize::from(truth));
            }
            return pairs;
        }
        for index in chosen {
            if let Some(truth) = examples.all[*index].targets[head as usize] {
                pairs.add(said(&self.outputs[*index], head), truth);
            }
        }
        pairs
    }

    fn row(&self, name: &str, chosen: &[usize], into: &mut String) {
        let examples = &self.material.examples;
        let keep = scored(examples, chosen, self.outputs, &self.dense.calibration, Head::Keep);
        let kept = keep.iter().filter(|(_, truth)| *truth).count();
        let (sure, perhaps) = (self.dense.thresholds[0], self.dense.thresholds[1]);
        let (sure, perhaps) = (precision_recall(&keep, sure), precision_recall(&keep, perhaps));
        let average = average_precision(&keep);
        let _ = write!(
            into,
            "| {name} | {} | {kept} | {:.2} / {:.2} | {:.2} / {:.2} | {average:.3} ",
            chosen.len(),
            sure.0,
            sure.1,
            perhaps.0,
            perhaps.1
        );
        for head in [Head::Kind, Head::Owner, Head::Polarity, Head::Slot] {
            let pairs = self.pairs(chosen, head);
            let _ = write!(into, "| {:.2} / {:.2} ", pairs.accuracy(), pairs.macro_f1());
        }
        for head in [Head::Momentary, Head::Sensitive] {
            let pairs = self.pairs(chosen, head);
            let (right, said, truth) = pairs.of(1);
            let _ = write!(into, "| {:.2} / {:.2} ", share(right, said), share(right, truth));
        }
        into.push_str("|\n");
    }

    /// The table of all heads, per language and per style.
    pub fn table(&self) -> String {
        let mut table = String::from(
            "| | sentences | kept | sure P / R | unsure P / R | AP | kind acc / F1 | owner | polarity | slot | now P / R | sens P / R |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n",
        );
        let conversation =
            |index: &usize| &self.material.conversations[self.material.examples.all[*index].conversation];
        let mut styles: Vec<&str> = self.chosen.iter().map(|index| conversation(index).style).collect();
        styles.sort_unstable();
        styles.dedup();
        for name in LANGUAGES.into_iter().chain(styles) {
            let fits = |index: &&usize| [conversation(index).language, conversation(index).style].contains(&name);
            let chosen: Vec<usize> = self.chosen.iter().filter(fits).copied().collect();
            self.row(name, &chosen, &mut table);
        }
        self.row("all", &self.chosen, &mut table);
        table
    }

    /// F1 of each label, with its number of sentences; slots with few are named.
    pub fn labels(&self) -> String {
        let slots: Vec<&str> = std::iter::once("none").chain(Slot::ALL.iter().map(|slot| slot.name())).collect();
        let names = [
            (Head::Kind, Kind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>()),
            (Head::Owner, Owner::ALL.iter().map(|owner| owner.name()).collect()),
            (Head::Polarity, Polarity::ALL.iter().map(|polarity| polarity.name()).collect()),
            (Head::Slot, slots),
        ];
        let mut text = String::new();
        for (head, names) in names {
            let pairs = self.pairs(&self.chosen, head);
            let counts: Vec<(usize, usize)> = (0..names.len()).map(|label| (pairs.of(label).2, label)).collect();
            let all =
                counts.iter().map(|(count, label)| format!("{} {:.2} ({count})", names[*label], pairs.f1(*label)));
            let _ = writeln!(text, "{}: {}", head.name(), all.collect::<Vec<_>>().join(", "));
            let few = counts.iter().filter(|(count, _)| *count < FEW).map(|(_, label)| names[*label]);
            let _ = writeln!(text, "fewer than {FEW}: {}\n", few.collect::<Vec<_>>().join(" "));
        }
        self.kinds(&mut text);
        text
    }

    /// How much of each kind is surely kept.
    fn kinds(&self, text: &mut String) {
        let examples = &self.material.examples;
        for kind in Kind::ALL {
            let is = |index: &&usize| examples.all[**index].targets[Head::Kind as usize] == Some(*kind as usize);
            let chosen: Vec<usize> = self.chosen.iter().filter(is).copied().collect();
            let keep = scored(examples, &chosen, self.outputs, &self.dense.calibration, Head::Keep);
            let recall = precision_recall(&keep, self.dense.thresholds[0]).1;
            let _ = write!(text, "{} surely kept {recall:.2}, ", kind.name());
        }
        text.push('\n');
    }

    /// The sentences that the judge is most wrong about: keep, then owner.
    pub fn errors(&self, most: usize) -> String {
        let examples = &self.material.examples;
        let mut text = String::new();
        for head in [Head::Keep, Head::Owner, Head::Kind, Head::Polarity] {
            let mut errors: Vec<(f32, usize)> = Vec::new();
            for index in &self.chosen {
                let Some(target) = examples.all[*index].targets[head as usize] else { continue };
                let of_head = &self.outputs[*index][head.outputs()];
                let at = head as usize * 2;
                let (factor, summand) = (self.dense.calibration[at], self.dense.calibration[at + 1]);
                let all = kimberly_language::judge::model::probabilities(of_head, factor, summand);
                let right =
                    if let [yes] = all.as_slice() { if target == 1 { *yes } else { 1.0 - yes } } else { all[target] };
                errors.push((right, *index));
            }
            errors.sort_by(|left, right| left.0.total_cmp(&right.0));
            let _ = writeln!(text, "## {}", head.name());
            for (right, index) in errors.into_iter().take(most) {
                let _ = writeln!(text, "{right:.3}\t{}", self.shown(index, head));
            }
        }
        text
    }

    fn shown(&self, index: usize, head: Head) -> String {
        let example = &self.material.examples.all[index];
        let conversation = &self.material.conversations[example.conversation];
        let turn = &conversation.turns[example.turn];
        let sentence = &turn.sentences[example.sentence];
        let label = said(&self.outputs[index], head);
        let said = match head {
            Head::Owner => Owner::ALL[label].name(),
            Head::Kind => Kind::ALL[label].name(),
            Head::Polarity => Polarity::ALL[label].name(),
            _ => ["leave", "keep"][label],
        };
        let text = turn.text[sentence.span.clone()].replace('\n', " ↵ ");
        format!("{}:{}\t{}\tsaid {said}\t{text}", conversation.file, sentence.line, sentence.label.written())
    }
}
