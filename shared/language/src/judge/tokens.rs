//! Words of a message, folded: lower case, digits as zeros, one kind of apostrophe. Each is hashed once.

/// What a token consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Letters
    Word,
    /// Digits
    Number,
    /// Punctuation and symbols, one character each
    Mark,
    /// An emoji or another character that is none of these
    Emoji,
}

/// A word, number or mark.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// Hash of the folded text.
    pub hash: u64,
    /// Where it begins in the message, in bytes.
    pub at: usize,
    /// Where it lies in the folded text, in bytes.
    folded: (usize, usize),
    /// What it consists of.
    pub class: Class,
    /// Whether it begins with a capital.
    pub capital: bool,
    /// Whether it has two or more letters, all of them capitals.
    pub shouted: bool,
}

/// The tokens of a text in order.
#[derive(Debug, Default)]
pub struct Tokens {
    folded: String,
    list: Vec<Token>,
}

/// Digits of a number that count: longer ones look alike.
const LONGEST_NUMBER: usize = 5;
/// Letters of a word that count.
const LONGEST_WORD: usize = 32;

impl Tokens {
    /// Reads a text whose first byte is at `offset` of the message.
    pub fn of(text: &str, offset: usize) -> Self {
        let mut tokens =
            Self { folded: String::with_capacity(text.len() + 8), list: Vec::with_capacity(text.len() / 4) };
        let mut letters = text.char_indices().peekable();
        while let Some((at, letter)) = letters.next() {
            if letter.is_whitespace() || letter.is_control() {
                continue;
            }
            let begin = tokens.folded.len();
            let class = class_of(letter);
            fold(letter, &mut tokens.folded);
            let (mut length, mut capitals) = (1, usize::from(letter.is_uppercase()));
            while matches!(class, Class::Word | Class::Number)
                && let Some((_, next)) = letters.next_if(|(_, next)| class_of(*next) == class)
            {
                length += 1;
                capitals += usize::from(next.is_uppercase());
                if length <= if class == Class::Number { LONGEST_NUMBER } else { LONGEST_WORD } {
                    fold(next, &mut tokens.folded);
                }
            }
            // "don't" is don + 't, "j'habite" is j' + habite.
            if class == Class::Word
                && let Some((_, mark)) = letters.next_if(|(_, next)| matches!(next, '\'' | '’'))
            {
                let rest = letters.clone().take_while(|(_, next)| class_of(*next) == Class::Word).take(3).count();
                let short = length <= 2 && rest > 2;
                if short {
                    fold(mark, &mut tokens.folded);
                }
                tokens.push(begin, offset + at, class, capitals, length);
                if !short {
                    let begin = tokens.folded.len();
                    fold(mark, &mut tokens.folded);
                    while let Some((_, next)) = letters.next_if(|(_, next)| class_of(*next) == Class::Word) {
                        fold(next, &mut tokens.folded);
                    }
                    tokens.push(begin, offset + at + 1, class, 0, 2);
                }
                continue;
            }
            tokens.push(begin, offset + at, class, capitals, length);
        }
        tokens
    }

    fn push(&mut self, begin: usize, at: usize, class: Class, capitals: usize, length: usize) {
        let folded = (begin, self.folded.len());
        let hash = hash_bytes(self.folded.get(begin..).unwrap_or_default().as_bytes());
        let shouted = length >= 2 && capitals == length;
        self.list.push(Token { hash, at, folded, class, capital: capitals > 0, shouted });
    }

    /// The folded text of a token of this list.
    pub fn text(&self, token: &Token) -> &str {
        self.folded.get(token.folded.0..token.folded.1).unwrap_or_default()
    }

    /// All tokens.
    pub fn all(&self) -> &[Token] {
        &self.list
    }

    /// The tokens that begin in a span of the message.
    pub fn within(&self, span: &std::ops::Range<usize>) -> &[Token] {
        let from = self.list.partition_point(|token| token.at < span.start);
        let to = self.list.partition_point(|token| token.at < span.end);
        self.list.get(from..to).unwrap_or_default()
    }
}

fn class_of(letter: char) -> Class {
    if letter.is_alphabetic() {
        Class::Word
    } else if letter.is_numeric() {
        Class::Number
    } else if letter.is_ascii_punctuation() || matches!(letter, '¡'..='¿' | '‐'..='⁞' | '€') {
        Class::Mark
    } else {
        Class::Emoji
    }
}

fn fold(letter: char, into: &mut String) {
    match letter {
        'a'..='z' => into.push(letter),
        'A'..='Z' => into.push(letter.to_ascii_lowercase()),
        '’' => into.push('\''),
        '“' | '”' | '„' | '«' | '»' => into.push('"'),
        _ if letter.is_numeric() => into.push('0'),
        _ => into.extend(letter.to_lowercase()),
    }
}

/// Hashes bytes (FNV-1a, mixed).
pub fn hash_bytes(bytes: &[u8]) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in bytes {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    mix(hash, 0x51)
}

/// Joins two hashes into one; their order counts.
pub const fn mix(left: u64, right: u64) -> u64 {
    let joined = (left ^ right.rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let joined = joined ^ (joined >> 32);
    let joined = joined.wrapping_add(right).wrapping_mul(0xd6e8_feb8_6659_fd93);
    joined ^ (joined >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let tokens = Tokens::of(text, 0);
        tokens.all().iter().map(|token| tokens.text(token).to_owned()).collect()
    }

    #[test]
    fn words_are_folded_and_clitics_part() {
        assert_eq!(
            words("I don’t, j'habite ÉCOLE 2019!"),
            ["i", "don", "'t", ",", "j'", "habite", "école", "0000", "!"]
        );
    }

    #[test]
    fn tokens_belong_to_the_span_in_which_they_begin() {
        let tokens = Tokens::of("one two three", 0);
        assert_eq!(tokens.within(&(4..8)).len(), 1);
        assert_eq!(tokens.within(&(0..13)).len(), 3);
        assert!(tokens.within(&(13..13)).is_empty());
    }
}
