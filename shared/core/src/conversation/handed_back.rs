//! Removes from a message what Kimberly itself handed out: rendered contexts and answers of its tools entirely, and,
//! unless the person speaks, sentences that were handed out before. The person may repeat what is known.

use crate::context::fence::{BEGIN, BREAKS, END, LINE_PREFIX, NOTICE};
use crate::context::{Digest, Fingerprints, sentences};
use crate::memory::Role;
use crate::text::words::count;

/// A rest with fewer words only introduces what was removed.
const FEWEST_WORDS: u32 = 4;

/// The rest of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Left {
    /// All of it.
    All,
    /// This part of it.
    Part(String),
    /// Nothing meaningful.
    Nothing,
}

/// Returns the rest of a message after removing what was handed out. `known` reports for a digest whether it was handed
/// out. A first pass can use it to collect the digests to look up.
pub fn without(role: Role, content: &str, prints: &Fingerprints, known: &dyn Fn(&Digest) -> bool) -> Left {
    let unfenced = (content.contains(BEGIN) || content.contains(NOTICE)).then(|| unfenced(role, content));
    let text = unfenced.as_deref().unwrap_or(content);
    let rest = if role == Role::User { None } else { without_known(text, prints, known) };
    match rest.or(unfenced) {
        None => Left::All,
        Some(left) if count(&left) < FEWEST_WORDS => Left::Nothing,
        Some(left) => Left::Part(left.trim().to_owned()),
    }
}

/// Removes rendered contexts, and lines that tools of Kimberly marked as data.
fn unfenced(role: Role, content: &str) -> String {
    if role == Role::Tool && content.contains(NOTICE) {
        return String::new();
    }
    let (mut lines, mut inside) = (Vec::<&str>::new(), false);
    for line in content.split(BREAKS) {
        let bare = line.trim_start_matches(['>', ' ', '\t']).trim_end();
        if bare == BEGIN {
            inside = true;
        } else if bare == END {
            inside = false;
        } else if inside || bare.contains(NOTICE) {
            // A line of a context, or the explanation of the marks.
        } else if bare.starts_with(LINE_PREFIX) || bare == LINE_PREFIX.trim_end() {
            // The line above a marked one names its source.
            if lines.last().is_some_and(|above| above.contains("mem_") || above.contains("goal_")) {
                lines.pop();
            }
        } else {
            lines.push(line);
        }
    }
    lines.join("\n")
}

fn without_known(text: &str, prints: &Fingerprints, known: &dyn Fn(&Digest) -> bool) -> Option<String> {
    let said = sentences(text);
    let mut gone: Vec<_> = said.iter().filter(|one| known(&prints.of(one))).map(|one| one.range.clone()).collect();
    if gone.is_empty() {
        return None;
    }
    gone.sort_by_key(|range| range.start);
    let (mut left, mut at) = (String::with_capacity(text.len()), 0);
    for range in gone {
        if range.start > at {
            left.push_str(&text[at..range.start]);
        }
        at = at.max(range.end);
    }
    left.push_str(&text[at..]);
    Some(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prints() -> Fingerprints {
        Fingerprints::new(&[7; 32], "ana")
    }

    fn left(role: Role, content: &str, handed_out: &[&str]) -> Left {
        let known: Vec<Digest> =
            handed_out.iter().flat_map(|text| sentences(text)).map(|one| prints().of(&one)).collect();
        without(role, content, &prints(), &|digest| known.contains(digest))
    }

    const CONTEXT: &str = "<kimberly-context>\nLines.\n- mem_1\n| Ana moved to Lisbon.\n</kimberly-context>\n";

    #[test]
    fn a_context_is_left_out_whole_in_every_role() {
        for role in [Role::User, Role::Assistant, Role::Tool] {
            assert_eq!(left(role, CONTEXT, &[]), Left::Nothing, "{role}");
            let around =
                format!("Here is what I know:\n> {}\nAnd now the weather, please.", CONTEXT.replace('\n', "\n> "));
            let Left::Part(rest) = left(role, &around, &[]) else { panic!("{role}") };
            assert!(rest.starts_with("Here is") && rest.ends_with("please.") && !rest.contains("Lisbon"), "{rest}");
        }
        let open = CONTEXT.replace(END, "and so on");
        assert_eq!(left(Role::Assistant, &open, &[]), Left::Nothing, "one that is cut");
    }

    #[test]
    fn what_a_tool_of_kimberly_answers_is_not_learned() {
        let answer = format!("2 found, best first. {NOTICE}\n\n1. mem_1 · 2026-05-04\n| Ana moved to Lisbon.\n");
        assert_eq!(left(Role::Tool, &answer, &[]), Left::Nothing);
        assert_eq!(left(Role::Assistant, &answer, &[]), Left::Nothing);
        let table = "| city | country |\n| Lisbon | Portugal |";
        assert_eq!(left(Role::Tool, table, &[]), Left::All, "a table from elsewhere");
    }

    #[test]
    fn an_assistant_may_quote_sentences_and_the_person_may_say_them_again() {
        let known = ["Ana moved to Lisbon in May.", "She keeps bees on the roof."];
        let quote =
            "You said \"Ana moved to Lisbon in May\". She keeps bees on the roof! What would you like to plant there?";
        let expected = "You said \"\".  What would you like to plant there?";
        assert_eq!(left(Role::Assistant, quote, &known), Left::Part(expected.to_owned()));
        assert_eq!(left(Role::Assistant, "I recall: She keeps bees on the roof.", &known), Left::Nothing);
        assert_eq!(
            left(Role::Assistant, "- Ana moved to Lisbon in May\n- She keeps bees on the roof", &known),
            Left::Nothing
        );
        assert_eq!(left(Role::User, "She keeps bees on the roof.", &known), Left::All);
    }
}
