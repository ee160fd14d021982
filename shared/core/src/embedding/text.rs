//! The texts of a memory or goal that a model reads: content and texts of the detail, in chunks, each with a prefix
//! that helps to find it (Y-1).
//!
//! Vectors depend on every character of these texts: any change here causes everything to be embedded again.

use sha2::{Digest as _, Sha256};

use super::chunks::chunks;
use crate::goals::{Goal, GoalStatus};
use crate::memory::{EmbedMark, Memory, MemoryState};

/// Most characters of the tags before a chunk, and of the speaker: a longer prefix would make all chunks look alike.
const MAX_LEAD_CHARS: usize = 80;

/// Reports whether a memory gets vectors: never sensitive or deleted ones, nor those marked to have none.
pub fn is_eligible(memory: &Memory) -> bool {
    let draft = &memory.draft;
    memory.state != MemoryState::Deleted && !draft.metadata.sensitive && draft.embed != EmbedMark::Never
}

/// Reports whether a goal gets vectors.
pub fn is_goal_eligible(goal: &Goal) -> bool {
    goal.draft.status == GoalStatus::Active
}

/// The texts of a memory, one per vector, in order; at least one.
pub fn texts(memory: &Memory) -> Vec<String> {
    let draft = &memory.draft;
    led_by(&lead(draft.speaker.as_deref(), &draft.metadata.tags), &draft.search_text())
}

/// The texts of a goal.
pub fn goal_texts(goal: &Goal) -> Vec<String> {
    let draft = &goal.draft;
    let words = [draft.title.as_str(), draft.description.as_str()].map(str::trim);
    let words: Vec<&str> = words.into_iter().filter(|part| !part.is_empty()).collect();
    led_by(&lead(None, &draft.tags), &words.join("\n"))
}

/// The first 64 bits of a hash over texts. Equal texts need no new vectors.
pub fn fingerprint(texts: &[String]) -> u64 {
    let mut hasher = Sha256::new();
    for text in texts {
        hasher.update((text.len() as u64).to_be_bytes());
        hasher.update(text.as_bytes());
    }
    let digest: [u8; 32] = hasher.finalize().into();
    u64::from_be_bytes(*digest.first_chunk().unwrap_or(&[0; 8]))
}

/// The prefix: the first tags that fit whole, and the speaker.
fn lead(speaker: Option<&str>, tags: &[String]) -> String {
    let mut left = MAX_LEAD_CHARS;
    let fitting = tags.iter().map_while(|tag| {
        left = left.checked_sub(tag.chars().count())?;
        Some(tag.as_str())
    });
    let fitting = fitting.collect::<Vec<_>>().join(", ");
    let tags = if fitting.is_empty() { String::new() } else { format!("[{fitting}] ") };
    let speaker = speaker.map_or_else(String::new, |name| {
        let end = name.char_indices().nth(MAX_LEAD_CHARS).map_or(name.len(), |(at, _)| at);
        format!("{}: ", &name[..end])
    });
    format!("{tags}{speaker}")
}

fn led_by(lead: &str, content: &str) -> Vec<String> {
    let mut texts: Vec<String> = chunks(content).into_iter().map(|chunk| format!("{lead}{chunk}")).collect();
    if texts.is_empty() {
        texts.push(lead.to_owned());
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fingerprint_hangs_on_every_text_and_on_where_each_ends() {
        let of = |texts: &[&str]| fingerprint(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
        let all = [of(&["ab"]), of(&["a", "b"]), of(&["ab", ""]), of(&["", "ab"]), of(&["b", "a"]), of(&[])];
        for (index, one) in all.iter().enumerate() {
            assert!(!all[..index].contains(one));
        }
        assert_eq!(of(&["ab"]), of(&["ab"]));
    }

    #[test]
    fn every_chunk_is_led_by_tags_and_speaker() {
        let content = "A sentence that says something. ".repeat(60);
        let texts = led_by(&lead(Some("Ada"), &["work".to_owned(), "rust".to_owned()]), &content);
        assert!(texts.len() > 1 && texts.iter().all(|text| text.starts_with("[work, rust] Ada: A sentence")));
        assert_eq!(led_by("", "hello"), ["hello"]);
        let tags: Vec<String> = (0..64).map(|n| format!("{n:0>64}")).collect();
        assert_eq!(lead(None, &tags), format!("[{}] ", tags[0]));
        assert_eq!(lead(None, &["ü".repeat(81)]), "");
        assert_eq!(lead(Some(&"ü".repeat(100)), &["ü".repeat(80)]), format!("[{0}] {0}: ", "ü".repeat(80)));
        assert_eq!(led_by(&lead(None, &[]), " "), [""]);
    }
}
