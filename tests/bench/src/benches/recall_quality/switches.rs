//! The effect of switching a stage: evidence and other results that enter or leave the first ten, by style.

use kimberly_core::usecases::QueryInput;

use super::Prepared;
use super::sets::Part;
use crate::Result;
use crate::report::{Report, Table, say};

/// Stages that select results, switched from their default.
const SWITCHED: [(&str, bool); 4] = [("expand", true), ("entities", true), ("diversify", true), ("adaptive", true)];

/// Prints a table of shares: of the questions that lose evidence, of those that gain some, and by how much the
/// results without evidence decrease.
pub(super) async fn run(prepared: &[Prepared], report: &mut Report) -> Result<()> {
    let mut table = Table::new(&["switched", "", "questions that lose evidence", "that gain some", "others let go"]);
    for one in prepared {
        one.vaults.read_names().await?;
    }
    for (stage, on) in SWITCHED {
        for one in prepared {
            for part in Part::ALL {
                let changed = changed(one, part, (stage, on)).await?;
                let name = format!("{} {}", one.set.name, part.name());
                for (what, share) in [("lose", changed[0]), ("gain", changed[1]), ("let_go", changed[2])] {
                    report.set(format!("{}.{}.{stage}.{what}", one.set.name, part.name()), share);
                }
                let title = format!("{stage} {}", if on { "on" } else { "off" });
                table.row([title, name].into_iter().chain(changed.map(|share| format!("{share:.3}"))));
            }
        }
    }
    say(&format!("\n{}", table.text()));
    Ok(())
}

async fn changed(one: &Prepared, part: Part, (stage, on): (&str, bool)) -> Result<[f64; 3]> {
    let (mut asked, mut lose, mut gain, mut others, mut left) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (index, conversation) in one.set.of_part(part) {
        for question in &conversation.questions {
            let input = QueryInput { query: question.text.clone(), ..QueryInput::default() };
            let switched = QueryInput { stages: [(stage.to_owned(), on)].into(), ..input.clone() };
            let is_evidence = |turn: &&usize| question.evidence.contains(&Some(**turn));
            let (before, after) = (one.vaults.turns(index, input).await?, one.vaults.turns(index, switched).await?);
            let evidence = |turns: &[usize]| turns.iter().filter(is_evidence).count();
            asked += 1.0;
            lose += f64::from(u8::from(evidence(&after) < evidence(&before)));
            gain += f64::from(u8::from(evidence(&after) > evidence(&before)));
            others += count(before.len() - evidence(&before));
            left += count(after.len() - evidence(&after));
        }
    }
    Ok([lose / asked, gain / asked, 1.0 - left / others])
}

#[expect(clippy::cast_precision_loss, reason = "at most the ten of an answer")]
fn count(n: usize) -> f64 {
    n as f64
}
