//! Generates ids for messages without one, from their content and the number of their repetition in the same history.
//!
//! An id is `said-` and half of the SHA-256, in hexadecimal, of the role (`ROLE_USER`), the name, the content and the
//! number of the repetition (1 for the first), separated by NULs. A history sent again from its start gets the same
//! ids, as it did from older versions of the clients, so this must not change. For sensitive messages the id is a keyed
//! digest of that id.

use std::collections::HashMap;

use sha2::{Digest as _, Sha256};

use super::Message;
use super::message::half;
use crate::context::Fingerprints;

/// Counts repetitions of each message in a history. Holds no text, only a few bytes per distinct message.
#[derive(Clone, Debug, Default)]
pub struct Repetitions {
    said: HashMap<u64, u32>,
    /// Keys the ids of sensitive messages, so that an id does not reveal the content.
    prints: Option<Fingerprints>,
}

impl Repetitions {
    /// Creates a counter whose ids are keyed.
    pub fn keyed(prints: Fingerprints) -> Self {
        Self { prints: Some(prints), ..Self::default() }
    }

    /// Returns the id for the next message of the history. Must be called for every message, including those that have
    /// an id.
    pub fn next(&mut self, message: &Message) -> String {
        let role = message.role.name().to_uppercase();
        let said = Sha256::new()
            .chain_update("ROLE_")
            .chain_update(role)
            .chain_update("\0")
            .chain_update(&message.name)
            .chain_update("\0")
            .chain_update(&message.content);
        let times = self.said.entry(start(&said.clone().finalize())).or_default();
        *times += 1;
        let id = named(&said.chain_update(format!("\0{times}")).finalize());
        self.prints.as_ref().map_or_else(|| id.clone(), |prints| named(&prints.of_parts(&[&id])))
    }
}

fn named(digest: &[u8]) -> String {
    format!("said-{}", half(digest))
}

fn start(digest: &[u8]) -> u64 {
    digest.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Role;

    fn said(content: &str) -> Message {
        Message::of(Role::User, content)
    }

    #[test]
    fn ids_of_what_is_sensitive_are_under_a_key() {
        let ids = |key: u8| {
            let mut repetitions = Repetitions::keyed(Fingerprints::new(&[key; 32], "ana"));
            [said("ok"), said("ok"), said("no")].map(|one| repetitions.next(&one))
        };
        assert_eq!(ids(1), ids(1));
        assert!(ids(1).iter().all(|id| !ids(2).contains(id) && id.len() == 37), "{:?}", ids(1));
    }

    #[test]
    fn ids_tell_repetitions_apart_and_are_those_that_clients_gave() {
        let ok = said("ok");
        let other = Message { role: Role::Assistant, ..ok.clone() };
        let history = || {
            let mut repetitions = Repetitions::default();
            [&ok, &other, &ok].map(|message| repetitions.next(message))
        };
        let ids = history();
        assert_eq!(ids[0], "said-d675e72d668f41b807ade85dc5b4a888");
        assert!(ids[0] != ids[1] && ids[0] != ids[2] && ids[1] != ids[2], "{ids:?}");
        assert_eq!(ids, history());
    }
}
