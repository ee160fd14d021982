//! Finds who said something in a chat with an assistant, and whose words a query asks for.
//!
//! Speakers have no explicit role. A name that only roles have, such as `user` or `assistant`, reveals it.

const PERSONS: [&str; 4] = ["user", "human", "customer", "me"];
const ASSISTANTS: [&str; 8] = ["assistant", "ai", "bot", "chatbot", "agent", "model", "system", "tool"];

const OF_PERSON: [&str; 10] = ["i", "my", "me", "mine", "myself", "we", "our", "ours", "us", "im"];
const OF_ASSISTANT: [&str; 3] = ["you", "your", "yours"];
/// Before "you" these words ask for a favour: "could you list ...".
const POLITE: [&str; 5] = ["can", "could", "would", "will", "please"];
/// Questions about what was said use the past tense.
const PAST: [&str; 5] = ["did", "have", "had", "were", "was"];
/// A summary covers the words of all speakers.
const SUMS_UP: [&str; 6] = ["summarize", "summarise", "summary", "summaries", "overview", "recap"];

/// The speakers whose words a query asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Asked {
    /// The query does not say.
    #[default]
    Anybody,
    /// The person's words: the query is about "I" and "my".
    Person,
    /// The assistant's words: "what did you recommend".
    Assistant,
}

/// The numbers of speakers by role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roles {
    /// Speakers that are the person.
    pub persons: Vec<i64>,
    /// Speakers that are the assistant.
    pub assistants: Vec<i64>,
}

impl Roles {
    /// Finds the roles among the speakers of a vault.
    pub(super) fn of(speakers: &[(i64, String)]) -> Self {
        let numbers = |names: &[&str]| {
            let is = |name: &str| names.iter().any(|role| name.eq_ignore_ascii_case(role));
            speakers.iter().filter(|(_, name)| is(name.trim())).map(|(number, _)| *number).collect()
        };
        Self { persons: numbers(&PERSONS), assistants: numbers(&ASSISTANTS) }
    }
}

/// Returns whose words the folded words of a query ask for.
pub(super) fn asked(words: &[&str]) -> Asked {
    let holds = |list: &[&str]| words.iter().any(|word| list.contains(word));
    if holds(&SUMS_UP) {
        return Asked::Anybody;
    }
    let follows_favour = |index: usize| index > 0 && POLITE.contains(&words[index - 1]);
    let addressed = (0..words.len()).any(|index| OF_ASSISTANT.contains(&words[index]) && !follows_favour(index));
    match (addressed && holds(&PAST), holds(&OF_PERSON)) {
        (true, _) => Asked::Assistant,
        (false, true) => Asked::Person,
        (false, false) => Asked::Anybody,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn query_asks_for_the_words_of_the_one_it_is_about() {
        for (query, expected) in [
            ("what is my sister called", Asked::Person),
            ("could you list where i lived", Asked::Person),
            ("what did you recommend for my back", Asked::Assistant),
            ("summarize what i told you so far", Asked::Anybody),
            ("when does the train leave", Asked::Anybody),
            ("", Asked::Anybody),
        ] {
            let words: Vec<&str> = query.split_whitespace().collect();
            assert_eq!(asked(&words), expected, "{query}");
        }
    }

    #[test]
    fn names_that_are_roles_tell_the_role() {
        let speakers: Vec<(i64, String)> =
            [(1, "Ann"), (2, "User"), (3, "assistant"), (4, "")].map(|(n, name)| (n, name.to_owned())).into();
        assert_eq!(Roles::of(&speakers), Roles { persons: vec![2], assistants: vec![3] });
    }
}
