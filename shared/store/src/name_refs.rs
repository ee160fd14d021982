//! References of memories to names: numbers of sessions, speakers, namespaces and consents, and the next positions in
//! sessions.

use std::collections::{BTreeMap, HashMap};

use kimberly_core::error::{Error, Result};
use kimberly_core::ids::ConsentId;
use kimberly_core::memory::MemoryDraft;
use kimberly_core::ports::SessionSpot;

use crate::corrupt;
use crate::rows::folded;

/// How many memories `speakers.latest` may lag behind. Saves a write per memory of a known speaker.
const LAG: i64 = 64;

/// The references of a memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameRefs {
    pub(crate) spot: Option<SessionSpot>,
    pub(crate) speaker: Option<i64>,
    /// The speaker's spelling, if it differs from the first one.
    pub(crate) speaker_name: Option<String>,
    /// 0 for the default namespace.
    pub(crate) namespace: i64,
    pub(crate) consent: Option<i64>,
}

/// The distinct names in a batch.
#[derive(Default)]
pub(crate) struct Names {
    pub(crate) sessions: Vec<String>,
    /// Folded names with their first spelling; sorted, so that the same batch always gets the same numbers.
    pub(crate) speakers: BTreeMap<String, String>,
    pub(crate) namespaces: Vec<String>,
    /// Ids in hexadecimal.
    pub(crate) consents: Vec<String>,
}

impl Names {
    pub(crate) fn of(drafts: &[&MemoryDraft]) -> Self {
        let mut names = Self::default();
        for draft in drafts {
            if let Some(id) = &draft.session_id
                && names.sessions.last() != Some(id)
                && !names.sessions.contains(id)
            {
                names.sessions.push(id.clone());
            }
            if let Some(name) = &draft.speaker {
                names.speakers.entry(folded(name)).or_insert_with(|| name.clone());
            }
            if !draft.namespace.is_empty() && !names.namespaces.contains(&draft.namespace) {
                names.namespaces.push(draft.namespace.clone());
            }
            if let Some(id) = draft.consent_id.map(hex)
                && !names.consents.contains(&id)
            {
                names.consents.push(id);
            }
        }
        names
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.sessions.is_empty() && self.speakers.is_empty() && self.namespaces.is_empty() && self.consents.is_empty()
    }

    /// Speakers in folded form.
    pub(crate) fn folded(&self) -> Vec<String> {
        self.speakers.keys().cloned().collect()
    }

    /// Keeps only the names that must be written: unknown ones, and speakers whose `latest` lags too far behind.
    pub(crate) fn needing_a_write(self, known: &Numbers, latest: i64) -> Self {
        let is_behind = |name: &String| known.speakers.get(name).is_none_or(|speaker| speaker.latest + LAG <= latest);
        Self {
            sessions: self.sessions.into_iter().filter(|id| !known.sessions.contains_key(id)).collect(),
            speakers: self.speakers.into_iter().filter(|(name, _)| is_behind(name)).collect(),
            namespaces: self.namespaces.into_iter().filter(|name| !known.namespaces.contains_key(name)).collect(),
            consents: Vec::new(),
        }
    }
}

struct Speaker {
    no: i64,
    latest: i64,
    name: String,
}

/// The numbers that the vault has for a batch's names.
#[derive(Default)]
pub(crate) struct Numbers {
    /// The next spot of each session.
    sessions: HashMap<String, SessionSpot>,
    speakers: HashMap<String, Speaker>,
    namespaces: HashMap<String, i64>,
    consents: HashMap<String, i64>,
}

impl Numbers {
    /// Adds a number: the kind of name, the name in compared form, its number, the next position of a session or the
    /// latest memory of a speaker, and the spelling of a speaker.
    pub(crate) fn add(&mut self, kind: &str, key: String, (no, number): (i64, i64), name: Option<String>) {
        match kind {
            "session" => {
                self.sessions.insert(key, SessionSpot { session: no, position: number });
            }
            "namespace" => {
                self.namespaces.insert(key, no);
            }
            "consent" => {
                self.consents.insert(key, no);
            }
            _ => {
                self.speakers.insert(key, Speaker { no, latest: number, name: name.unwrap_or_default() });
            }
        }
    }

    /// Returns the references of a draft and advances the position of its session.
    pub(crate) fn refs(&mut self, draft: &MemoryDraft) -> Result<NameRefs> {
        let missing = || corrupt("a session, speaker or namespace got no number");
        let mut refs = NameRefs::default();
        if let Some(id) = draft.session_id.as_deref() {
            let next = self.sessions.get_mut(id).ok_or_else(missing)?;
            refs.spot = Some(*next);
            next.position += 1;
        }
        if let Some(written) = draft.speaker.as_deref() {
            let speaker = self.speakers.get(&folded(written)).ok_or_else(missing)?;
            refs.speaker = Some(speaker.no);
            refs.speaker_name = (speaker.name != written).then(|| written.to_owned());
        }
        if !draft.namespace.is_empty() {
            refs.namespace = *self.namespaces.get(&draft.namespace).ok_or_else(missing)?;
        }
        if let Some(id) = draft.consent_id {
            let no = self.consents.get(&hex(id)).ok_or_else(|| Error::consent_not_found(id))?;
            refs.consent = Some(*no);
        }
        Ok(refs)
    }
}

fn hex(id: ConsentId) -> String {
    id.0.simple().to_string()
}
