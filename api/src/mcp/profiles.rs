//! The tools that a client sees. Models choose well only among a handful.

use kimberly_core::bounds::TOOL_PROFILES as NAMES;

/// Tools for every assistant.
const EVERYDAY: &[&str] = &["remember", "recall", "correct", "forget", "get_context", "observe"];
/// Tools to manage memories.
const MANAGING: &[&str] = &["update_memory", "list_memories", "review_memories", "core_memory"];
/// The two tools that research connectors expect. They only read.
const RESEARCHING: &[&str] = &["search", "fetch"];
/// The tools of the protocol's reference memory server.
const GRAPHING: &[&str] = &[
    "create_entities",
    "create_relations",
    "add_observations",
    "delete_entities",
    "delete_observations",
    "delete_relations",
    "read_graph",
    "search_nodes",
    "open_nodes",
];

/// A set of tools.
#[derive(Debug)]
pub(super) struct Profile {
    /// The name in the URL.
    pub(super) name: &'static str,
    groups: &'static [&'static [&'static str]],
}

impl Profile {
    /// Returns the names of its tools, in the order in which they are listed.
    pub(super) fn tools(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.groups.iter().copied().flatten().copied()
    }
}

/// The tools of each profile, in the order of their names.
const GROUPS: [&[&[&str]]; NAMES.len()] =
    [&[EVERYDAY], &[EVERYDAY, MANAGING], &[RESEARCHING], &[GRAPHING], &[EVERYDAY, MANAGING, RESEARCHING, GRAPHING]];

/// The profile of clients that name none.
pub(super) const DEFAULT: Profile = numbered(0);

const ALL: [Profile; NAMES.len()] = [DEFAULT, numbered(1), numbered(2), numbered(3), numbered(4)];

const fn numbered(number: usize) -> Profile {
    Profile { name: NAMES[number], groups: GROUPS[number] }
}

/// Finds a profile by its name.
pub(super) fn named(name: &str) -> Option<&'static Profile> {
    static PROFILES: [Profile; NAMES.len()] = ALL;
    PROFILES.iter().find(|profile| profile.name == name)
}

/// Returns the message for a name that no profile has.
pub(super) fn unknown(name: &str) -> String {
    let name: String = name.chars().take(32).collect();
    format!("there is no profile {name:?}; use one of {}", NAMES.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::tools;

    #[test]
    fn profiles_name_tools_that_exist_and_one_has_them_all() {
        for profile in &ALL {
            for name in profile.tools() {
                assert!(tools::named(name).is_some(), "{} has {name}, which is no tool", profile.name);
            }
        }
        let all = named("all").map(|profile| profile.tools().count());
        assert_eq!(all, Some(tools::ALL.len()));
    }
}
