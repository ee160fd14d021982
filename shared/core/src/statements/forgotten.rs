//! Recognizes forgotten statements when they are sent again, by digests. No text is stored. The key of the digests is the
//! vault's own: a short sentence cannot be guessed without it. Backups and moves carry it, archives do not yet.

use std::ops::Range;

use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::part::pieces;
use super::same::{Statement, sentences_of};
use crate::context::{Digest, Fingerprints};
use crate::conversation::sent_digest;
use crate::error::Result;
use crate::memory::{Detail, MemoryDraft, RecordKind, Role, TurnDetail};
use crate::tables::{Cells, Column, Row, Table, TableRow};
use crate::text::said;
use crate::time::Timestamp;

/// Starts a digest that was made with the vault's key.
const KEYED: char = 'k';
/// Most pieces of a sentence of which each run is compared.
const PIECES: usize = 6;
/// The session of what was said in none.
const NO_SESSION: Digest = [0; 16];

/// Something that was forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forgotten {
    /// Digest of the statement, message or note.
    pub digest: Digest,
    /// Digest of the session that it was said in; zero for none.
    pub session: Digest,
    /// When it was forgotten.
    pub at: Timestamp,
}

impl Forgotten {
    /// Reports whether something with its digest is what was forgotten: it is from before, or has no time and comes with
    /// the same session.
    pub fn is_meant(&self, said_at: Option<Timestamp>, session: Digest) -> bool {
        match said_at {
            Some(at) => at <= self.at,
            None => session != NO_SESSION && session == self.session,
        }
    }
}

impl TableRow for Forgotten {
    const TABLE: &'static Table = &Table {
        name: "forgotten",
        keys: 2,
        columns: &[Column::id("digest"), Column::id("session"), Column::int("at")],
        indices: &[],
    };

    fn to_row(&self) -> Row {
        vec![Uuid::from_bytes(self.digest).into(), Uuid::from_bytes(self.session).into(), self.at.into()]
    }

    fn from_row(c: &mut Cells) -> Result<Self> {
        Ok(Self { digest: c.id()?.into_bytes(), session: c.id()?.into_bytes(), at: c.time()? })
    }
}

/// The key of a vault's digests, made when it is first needed; a table of one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VaultKey {
    /// Its first half.
    pub one: Uuid,
    /// Its second half.
    pub other: Uuid,
}

impl TableRow for VaultKey {
    const TABLE: &'static Table =
        &Table { name: "vault_keys", keys: 1, columns: &[Column::id("one"), Column::id("other")], indices: &[] };

    fn to_row(&self) -> Row {
        vec![self.one.into(), self.other.into()]
    }

    fn from_row(c: &mut Cells) -> Result<Self> {
        Ok(Self { one: c.id()?, other: c.id()? })
    }
}

/// A part of a text, or all of it, with its digest.
pub type Part = (Option<Range<usize>>, Digest);

/// Makes the digests of a vault.
#[derive(Clone, Debug)]
pub struct Recognizer(Fingerprints);

impl Recognizer {
    /// Makes digests with a vault's key.
    pub fn new(key: &VaultKey) -> Self {
        let bytes: [u8; 32] = Sha256::new().chain_update(key.one).chain_update(key.other).finalize().into();
        Self(Fingerprints::new(&bytes, "vault"))
    }

    /// Digest of the session that a draft comes with.
    pub fn session(&self, draft: &MemoryDraft) -> Digest {
        let of = |session: &String| self.0.of_parts(&["session", &draft.namespace, session]);
        draft.session_id.as_ref().map_or(NO_SESSION, of)
    }

    /// Returns the digest of a message as sent, with the vault's key, from one without.
    pub fn keyed(&self, sent: &str) -> String {
        if sent.starts_with(KEYED) {
            return sent.to_owned();
        }
        let hex = |hex: String, byte: &u8| hex + &format!("{byte:02x}");
        self.0.of_parts(&["sent", sent]).iter().fold(KEYED.to_string(), hex)
    }

    /// Digests of what is noted of a memory that is forgotten: of all of it, or of the parts that are struck.
    pub fn of_gone(&self, draft: &MemoryDraft, parts: Option<&[Range<usize>]>) -> Vec<Digest> {
        let content = &draft.content;
        let Some(parts) = parts else {
            let said = Statement::all_in(content).filter(|_| states_something(draft));
            let said = said.map(|(_, statement)| self.statement(draft, &statement));
            return std::iter::once(self.whole(draft)).chain(said).collect();
        };
        let texts = parts.iter().filter_map(|range| content.get(range.clone()));
        let of = |text| Statement::of(text).into_iter().chain(Statement::all_in(text).map(|(_, one)| one));
        texts.flat_map(of).map(|statement| self.statement(draft, &statement)).collect()
    }

    /// Digests of all of a draft, of its sentences, and of the runs of clauses in them. All of a short reply without a
    /// number, such as "Yes.", counts only for drafts with a time.
    pub fn of_sent(&self, draft: &MemoryDraft) -> Vec<Part> {
        let content = &draft.content;
        let is_distinctive = Statement::of(content).is_some() || content.chars().any(char::is_numeric);
        let counts = is_distinctive || draft.occurred_at.is_some() || turn(draft).is_none();
        let mut parts: Vec<Part> = counts.then(|| (None, self.whole(draft))).into_iter().collect();
        if !states_something(draft) {
            return parts;
        }
        for sentence in sentences_of(content) {
            let runs = runs(&content[sentence.clone()]).into_iter();
            let ranges = runs.map(|run| sentence.start + run.start..sentence.start + run.end);
            for range in std::iter::once(sentence.clone()).chain(ranges) {
                let statement = Statement::of(&content[range.clone()]);
                parts.extend(statement.map(|statement| (Some(range), self.statement(draft, &statement))));
            }
        }
        parts
    }

    /// Digest of all that a draft says: for a message, of the message as sent, in its session.
    fn whole(&self, draft: &MemoryDraft) -> Digest {
        if let Some(turn) = turn(draft) {
            let sent = if turn.sent_digest.is_empty() { sent_digest(&draft.content) } else { turn.sent_digest.clone() };
            let session = draft.session_id.as_deref().unwrap_or_default();
            return self.of(draft, &["message", session, &self.keyed(&sent)]);
        }
        self.of(draft, &["whole", &said(&draft.content)])
    }

    fn statement(&self, draft: &MemoryDraft, statement: &Statement) -> Digest {
        self.of(draft, &["statement", &statement.words().join(" ")])
    }

    /// Digest of something that a speaker said in a domain.
    fn of(&self, draft: &MemoryDraft, what: &[&str]) -> Digest {
        let (role, speaker) = voice(draft);
        let sensitive = if draft.metadata.sensitive { "sensitive" } else { "plain" };
        let by: [&str; 4] = [&draft.namespace, sensitive, role.map_or("", Role::name), &speaker];
        self.0.of_parts(&[what, &by].concat())
    }
}

/// Reports whether a draft states something: it is nothing that a person keeps as a whole, such as a file or a block, and
/// nothing that is made of other memories.
pub fn states_something(draft: &MemoryDraft) -> bool {
    let other = matches!(
        draft.kind,
        RecordKind::Block | RecordKind::Document | RecordKind::Summary | RecordKind::Insight | RecordKind::Profile
    );
    !other && draft.name.is_none()
}

/// Whose words a draft has. A note without a speaker is the person's own.
pub fn voice(draft: &MemoryDraft) -> (Option<Role>, String) {
    let speaker = draft.speaker.as_deref().unwrap_or(Role::User.name());
    (turn(draft).map(|turn| turn.role).filter(|role| *role != Role::User), speaker.to_lowercase())
}

fn turn(draft: &MemoryDraft) -> Option<&TurnDetail> {
    match &draft.detail {
        Some(Detail::Turn(turn)) => Some(turn),
        _ => None,
    }
}

/// The runs of neighbouring clauses of a sentence, without the sentence.
fn runs(sentence: &str) -> Vec<Range<usize>> {
    let pieces = pieces(sentence);
    if pieces.len() > PIECES {
        return Vec::new();
    }
    let from = |first: usize| pieces[first..].iter().map(move |last| first..last.end);
    let all = (0..pieces.len()).flat_map(from);
    all.map(|run| pieces[run.start].start..run.end).filter(|run| *run != (0..sentence.len())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recognizer(one: u128) -> Recognizer {
        Recognizer::new(&VaultKey { one: Uuid::from_u128(one), other: Uuid::from_u128(2) })
    }

    fn message(content: &str, session: &str) -> MemoryDraft {
        let detail = TurnDetail {
            role: Role::User,
            position: 0,
            tool: String::new(),
            tool_call_id: String::new(),
            sent_digest: String::new(),
        };
        MemoryDraft {
            content: content.to_owned(),
            session_id: Some(session.to_owned()),
            detail: Some(Detail::Turn(detail)),
            ..MemoryDraft::default()
        }
    }

    fn found(gone: &[Digest], sent: &MemoryDraft) -> Vec<String> {
        let parts = recognizer(1).of_sent(sent).into_iter().filter(|(_, digest)| gone.contains(digest));
        parts.map(|(range, _)| range.map_or("all".to_owned(), |range| sent.content[range].to_owned())).collect()
    }

    #[test]
    fn a_struck_clause_is_recognized_in_its_sentence_and_by_itself() {
        let turn = message("I live in Oslo and I have two cats. Nice day.", "one");
        let clause = 0..14;
        let gone = recognizer(1).of_gone(&turn, Some(std::slice::from_ref(&clause)));
        assert_eq!(found(&gone, &turn), ["I live in Oslo"]);
        assert_eq!(found(&gone, &message("Hi! I live in Oslo.", "two")), ["I live in Oslo."]);
        assert!(found(&gone, &message("I live in Oslofjord and I have two cats.", "one")).is_empty());
    }

    #[test]
    fn a_whole_message_is_recognized_in_its_session_and_what_it_states_in_any() {
        let turn = message("Sure. My PIN is at Nadia's house.", "one");
        let gone = recognizer(1).of_gone(&turn, None);
        assert_eq!(found(&gone, &turn), ["all", "My PIN is at Nadia's house."]);
        assert_eq!(found(&gone, &message(&turn.content, "two")), ["My PIN is at Nadia's house."]);
        let short = message("Yes.", "one");
        assert!(found(&recognizer(1).of_gone(&short, None), &short).is_empty(), "a reply that anyone gives");
        let timed = MemoryDraft { occurred_at: Some(Timestamp(5)), ..short.clone() };
        assert_eq!(found(&recognizer(1).of_gone(&short, None), &timed), ["all"]);
    }

    #[test]
    fn digests_differ_by_key_speaker_and_domain() {
        let turn = message("I live in Oslo with Ana.", "one");
        let gone = recognizer(1).of_gone(&turn, None);
        assert!(recognizer(2).of_gone(&turn, None).iter().all(|digest| !gone.contains(digest)));
        for other in [
            MemoryDraft { speaker: Some("Ben".to_owned()), ..turn.clone() },
            MemoryDraft { namespace: "work".to_owned(), ..turn.clone() },
        ] {
            assert!(found(&gone, &other).is_empty(), "{other:?}");
        }
        assert_ne!(recognizer(1).keyed("00"), recognizer(2).keyed("00"));
        assert_eq!(recognizer(1).keyed(&recognizer(2).keyed("00")), recognizer(2).keyed("00"));
    }

    #[test]
    fn what_is_older_or_has_no_time_in_its_session_is_meant() {
        let row = Forgotten { digest: [1; 16], session: [2; 16], at: Timestamp(10) };
        assert!(row.is_meant(Some(Timestamp(10)), NO_SESSION) && !row.is_meant(Some(Timestamp(11)), [2; 16]));
        assert!(row.is_meant(None, [2; 16]) && !row.is_meant(None, [3; 16]) && !row.is_meant(None, NO_SESSION));
    }
}
