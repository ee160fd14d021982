//! The contribution of each part of the ranking: recall at 10 without a stage or a finer part, by style.

use kimberly_core::recall::stages::Switch;
use kimberly_core::recall::{Stage, Weights};

use super::sets::Part;
use super::{Prepared, Way};
use crate::Result;
use crate::report::{Report, Table, say};

/// Far beyond the number of words of any text.
const NEVER: f64 = 1e12;

/// Stages that matter for these questions, which have no active session and use words only.
fn stages() -> impl Iterator<Item = Stage> {
    let elsewhere = [Stage::Words, Stage::Vectors, Stage::Session];
    Stage::ALL.iter().copied().filter(move |stage| stage.switch() == Switch::On && !elsewhere.contains(stage))
}

/// Weights without one part of a stage, each with its metric name and description.
fn variants() -> Vec<(&'static str, &'static str, Weights)> {
    let fitted = Weights::FITTED;
    vec![
        ("all", "everything", fitted),
        ("length", "length of texts does not count", Weights { halved_by: NEVER, ..fitted }),
        ("brief", "whatever asks is a question, however long", Weights { brief: NEVER, ..fitted }),
        ("talk", "words about talking are searched", Weights { drop_talk: false, ..fitted }),
        ("roles", "person and assistant count alike", Weights { assistant: 1.0, assistant_asked: 1.0, ..fitted }),
        ("directives", "standing wishes count as all else", Weights { directive: 1.0, ..fitted }),
        ("speaker", "the speaker named does not count", Weights { speaker: 1.0, ..fitted }),
        ("neighbours", "nothing is lent to neighbours", Weights { lent_to_next: 0.0, lent_to_answer: 0.0, ..fitted }),
        ("session", "nothing is lent within the session", Weights { lent_by_session: 0.0, ..fitted }),
        ("short", "few words and questions count as all else", Weights { half_length: 0.0, question: 1.0, ..fitted }),
    ]
}

/// Prints the table, as in docs/recall.md.
pub(super) async fn run(prepared: &[Prepared], report: &mut Report) -> Result<()> {
    let parts: Vec<(&Prepared, Part)> = prepared.iter().flat_map(|one| Part::ALL.map(|part| (one, part))).collect();
    let names = parts.iter().map(|(one, part)| format!("{} {}", one.set.name, part.name()));
    let headings: Vec<String> = std::iter::once("R@10".to_owned()).chain(names).collect();
    let mut table = Table::new(&headings.iter().map(String::as_str).collect::<Vec<_>>());
    let variants = variants();
    let parts_away = variants.iter().map(|(name, title, weights)| (*name, (*title).to_owned(), Way::Words(weights)));
    let off = stages().map(|stage| (stage.name(), format!("off: {}", stage.name()), Way::Without(stage)));
    for (index, (name, title, way)) in parts_away.chain(off).enumerate() {
        let kind = if index < variants.len() { "" } else { "off_" };
        let mut cells = vec![title];
        for (one, part) in &parts {
            let [_, at_10, ..] = one.mean(*part, way).await?.values;
            report.set(format!("{}.{}.{kind}{name}.r_at_10", one.set.name, part.name()), at_10);
            cells.push(format!("{at_10:.3}"));
        }
        table.row(cells);
    }
    say(&format!("\n{}", table.text()));
    Ok(())
}
