//! Which conversations are trained on. A conversation is never split.

use kimberly_language::judge::tokens::hash_bytes;

use crate::corpus::Conversation;

/// Folds of cross-validation.
pub const FOLDS: usize = 5;
/// One in this many conversations is set aside.
const ASIDE: usize = 10;

/// The part of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Never trained on.
    Aside,
    /// Trained on; tested in this fold of cross-validation.
    Fold(usize),
}

/// The part of each conversation: one in ten of every file is set aside, spread over its styles.
pub fn parts(conversations: &[Conversation]) -> Vec<Part> {
    let mut order: Vec<usize> = (0..conversations.len()).collect();
    order.sort_by_cached_key(|index| {
        let one = &conversations[*index];
        (one.file.clone(), one.style, hash_bytes(one.title.as_bytes()), *index)
    });
    let mut parts = vec![Part::Aside; conversations.len()];
    let (mut place, mut fold, mut file) = (0, 0, "");
    for index in order {
        let one = &conversations[index];
        if one.file != file {
            file = &one.file;
            place = usize::try_from(hash_bytes(file.as_bytes()) % ASIDE as u64).unwrap_or_default();
        }
        if place % ASIDE != 0 {
            parts[index] = Part::Fold(fold % FOLDS);
            fold += 1;
        }
        place += 1;
    }
    parts
}

/// The parts with only some of the conversations for training: so many quarters of each.
pub fn thinned(conversations: &[Conversation], quarters: u64) -> Vec<bool> {
    let hash = |one: &Conversation| hash_bytes(format!("curve {} {}", one.file, one.title).as_bytes());
    conversations.iter().map(|one| (hash(one) >> 20) % 4 < quarters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::parse;

    #[test]
    fn a_tenth_of_each_file_is_set_aside_and_folds_are_equal() {
        let text = (0..100).fold(String::new(), |text, number| text + &format!("#chat en {number}\n"));
        let conversations = parse("x.txt", &text).unwrap();
        let parts = parts(&conversations);
        assert_eq!(parts.iter().filter(|part| **part == Part::Aside).count(), 10);
        let fold = |fold| parts.iter().filter(|part| **part == Part::Fold(fold)).count();
        assert!((0..FOLDS).all(|one| fold(one) == 18));
    }
}
