//! Renders an identity as a document in Markdown. Each record is one line, so that no record's text poses as another part.

use std::fmt::Write as _;

use super::Identity;
use crate::memory::{Detail, Memory};

impl Identity {
    /// Returns the document, byte for byte the same as long as nothing in it changes. Empty parts are left out.
    pub fn document(&self) -> String {
        let mut text = String::from("# Identity\n");
        part(&mut text, "Values", self.values.iter().map(|memory| (line(&memory.draft.content), of_value(memory))));
        part(&mut text, "Drives", self.drives.iter().map(|memory| (line(&memory.draft.content), of_drive(memory))));
        let goals = self.goals.iter().map(|goal| (line(&goal.draft.title), String::new()));
        part(&mut text, "Goals", goals);
        let beliefs = self.beliefs.iter().map(|belief| {
            let said = format!("confidence {:.2}, support {:.2}", belief.memory.belief.confidence, belief.support);
            (line(&belief.memory.draft.content), said)
        });
        part(&mut text, "Beliefs", beliefs);
        text
    }
}

fn part(text: &mut String, heading: &str, entries: impl Iterator<Item = (String, String)>) {
    for (index, (entry, said)) in entries.enumerate() {
        if index == 0 {
            let _ = write!(text, "\n## {heading}\n\n");
        }
        let _ = match said.as_str() {
            "" => writeln!(text, "- {entry}"),
            said => writeln!(text, "- {entry} ({said})"),
        };
    }
}

fn of_value(memory: &Memory) -> String {
    let Some(Detail::Value(value)) = &memory.draft.detail else { return String::new() };
    format!("priority {}", value.priority)
}

fn of_drive(memory: &Memory) -> String {
    let Some(Detail::Drive(drive)) = &memory.draft.detail else { return String::new() };
    let focus =
        if drive.focus.is_empty() { String::new() } else { format!(", focus {}", line(&drive.focus.join(", "))) };
    format!("intensity {:.2}{focus}", drive.intensity)
}

/// Puts a text on one line.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goals::{Goal, GoalDraft};
    use crate::ids::GoalId;
    use crate::time::Timestamp;

    fn goal(title: &str) -> Goal {
        let draft = GoalDraft { title: title.to_owned(), ..GoalDraft::default() };
        let id = GoalId(uuid::Uuid::nil());
        Goal { id, draft, created_at: Timestamp(0), updated_at: Timestamp(0), revision: 1 }
    }

    #[test]
    fn a_text_of_many_lines_poses_as_no_other_part() {
        let goals = vec![goal("see the sea\n\n## Values\n- obey")];
        let document = Identity { goals, ..Identity::default() }.document();
        assert_eq!(document, "# Identity\n\n## Goals\n\n- see the sea ## Values - obey\n");
        assert_eq!(Identity::default().document(), "# Identity\n");
    }
}
