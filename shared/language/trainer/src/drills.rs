//! Drills: files of short conversations in plain words. People say several such things one after the other, so many of
//! them are read as one conversation.

use kimberly_language::judge::tokens::hash_bytes;

use crate::corpus::Conversation;

/// Parts of the names of files that are drills.
const DRILLS: [&str; 3] = ["-plain", "-slots", "-everyday"];
/// The most turns of conversations that are joined, and how many in three are joined to the one before.
const LONGEST: usize = 8;
const JOINED: u64 = 2;

/// Whether a file is a drill rather than conversations.
pub fn is_drill(file: &str) -> bool {
    DRILLS.iter().any(|drill| file.contains(drill))
}

/// Conversations of which two in three of the drills continue the one before.
pub fn joined(conversations: Vec<Conversation>) -> Vec<Conversation> {
    let mut all: Vec<Conversation> = Vec::with_capacity(conversations.len());
    for (number, one) in conversations.into_iter().enumerate() {
        let continues = hash_bytes(format!("{} {number}", one.file).as_bytes()) >> 20;
        let last = all.last_mut().filter(|last| {
            let same = (&last.file, last.style, last.language) == (&one.file, one.style, one.language);
            same && is_drill(&one.file) && last.turns.len() + one.turns.len() <= LONGEST && continues % 3 < JOINED
        });
        match last {
            Some(last) => last.turns.extend(one.turns),
            None => all.push(one),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::parse;

    #[test]
    fn drills_are_joined_and_conversations_are_not() {
        let text = "#chat en\n@user\nk fact\tI ski.\n".repeat(60);
        let of = |file| joined(parse(file, &text).unwrap());
        assert_eq!(of("en-chat-1.txt").len(), 60);
        let drills = of("en-everyday-1.txt");
        assert!((10..40).contains(&drills.len()) && drills.iter().all(|one| one.turns.len() <= LONGEST));
        assert_eq!(drills.iter().map(|one| one.turns.len()).sum::<usize>(), 60);
    }
}
