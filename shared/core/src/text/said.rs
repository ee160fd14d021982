//! What a text says, in a form in which equal statements are equal: without case, and without the punctuation that
//! changes no meaning. Signs, emoji, decimal points and question marks stay: "+5" is not "-5", and "C++" is not "C".

use unicode_normalization::UnicodeNormalization;

/// Punctuation that changes no meaning between words. Some of it counts next to a digit or a letter.
const IGNORED: &str = ".,;:!…\"'’‘‚“”„«»‹›()-–—¡¿。、，．！：；「」『』（）《》〈〉・،؛।";
/// Marks that count before a letter or a digit: `.NET`, `example.com`, `1.5`, `10:30`.
const BINDING: [char; 2] = ['.', ':'];
/// Marks that count next to a digit: `-5`, `5-3`, `1,5`.
const OF_NUMBERS: [char; 4] = ['-', '–', '—', ','];
/// What follows the eyes of an emoticon.
const MOUTHS: &str = ")(-]['/\\|*<>";

/// Returns what a text says; empty if it has nothing but punctuation.
pub fn said(text: &str) -> String {
    let chars: Vec<char> = text.nfc().map(unified).collect();
    let (mut said, mut is_parted) = (String::with_capacity(text.len()), false);
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        let end = if is_emoticon(&chars, at) { end_of_word(&chars, at) } else { at + 1 };
        if end == at + 1 && !counts(&chars, at) {
            is_parted = true;
        } else {
            if is_parted && !said.is_empty() {
                said.push(' ');
            }
            is_parted = false;
            match end - at {
                1 => said.extend(c.to_lowercase()),
                _ => said.extend(&chars[at..end]),
            }
        }
        at = end;
    }
    said
}

/// Makes one character of those that people use alike.
const fn unified(c: char) -> char {
    match c {
        '’' => '\'',
        '\u{2212}' => '-',
        '？' | '؟' => '?',
        other => other,
    }
}

/// Reports whether a character is part of what is said.
fn counts(chars: &[char], at: usize) -> bool {
    let c = chars[at];
    if c.is_whitespace() {
        return false;
    }
    if !IGNORED.contains(c) {
        return true;
    }
    let before = at.checked_sub(1).and_then(|before| chars.get(before)).copied();
    let after = chars.get(at + 1).copied();
    let is = |c: Option<char>, kind: fn(char) -> bool| c.is_some_and(kind);
    // An apostrophe within a word: "we're" is not "were".
    (c == '\'' && is(before, char::is_alphabetic) && is(after, char::is_alphabetic))
        || (BINDING.contains(&c) && is(after, char::is_alphanumeric))
        || (OF_NUMBERS.contains(&c) && (is(after, char::is_numeric) || (c != ',' && is(before, char::is_numeric))))
        || (c == '-' && (is_sign(before) || is_sign(after)))
}

/// A sign next to a dash makes the dash one: `->`, `+-`, `--`, `-$5`.
fn is_sign(c: Option<char>) -> bool {
    c.is_some_and(|c| !c.is_alphanumeric() && !c.is_whitespace() && (c == '-' || !IGNORED.contains(c)))
}

/// Reports whether an emoticon such as `:)` or `;-(` begins here.
fn is_emoticon(chars: &[char], at: usize) -> bool {
    let follows = chars.get(at + 1).is_some_and(|next| MOUTHS.contains(*next));
    matches!(chars[at], ':' | ';' | '=') && follows
}

fn end_of_word(chars: &[char], at: usize) -> usize {
    chars[at..].iter().position(|c| c.is_whitespace()).map_or(chars.len(), |length| at + length)
}

#[cfg(test)]
mod tests {
    use super::said;

    #[test]
    fn case_and_punctuation_that_change_no_meaning_are_ignored() {
        for (one, other) in [
            ("I like rye bread.", "i like rye bread!"),
            ("The spare key is with Nadia.", "  The spare key – is with \"Nadia\" "),
            ("I don't eat fish", "I don’t eat fish."),
            ("- Buy milk", "Buy milk"),
            ("Ana’s birthday: 3 May", "Ana's birthday 3 May"),
            ("Ich mag Käse!", "ich mag Ka\u{308}se"),
            ("¡Me gusta el té!", "me gusta el té"),
            ("Ключ у Нади.", "ключ у нади"),
            ("我喜欢喝茶。", "我喜欢喝茶"),
            ("أحب الشاي،", "أحب الشاي"),
            ("Я живу — в Осло", "я живу в осло"),
        ] {
            assert_eq!(said(one), said(other), "{one} / {other}");
        }
    }

    #[test]
    fn numbers_signs_emoji_accents_and_questions_make_another_statement() {
        for (one, other) in [
            ("It is +5 outside", "It is -5 outside"),
            ("It is 5 outside", "It is -5 outside"),
            ("It is 5 outside", "It is \u{2212}5 outside"),
            ("I like C", "I like C++"),
            ("I like C", "I like C#"),
            ("It costs 1.5", "It costs 15"),
            ("It costs 1,5", "It costs 1 5"),
            ("Call at 10:30", "Call at 1030"),
            ("I use .NET", "I use net"),
            ("Tea 👍", "Tea 👎"),
            ("I passed :)", "I passed :("),
            ("She likes tea", "She likes tea?"),
            ("她喜欢茶。", "她喜欢茶？"),
            ("They were late", "They we're late"),
            ("Es ist schon da", "Es ist schön da"),
            ("Tengo un año", "Tengo un ano"),
            ("5 €", "5 $"),
            ("a and b", "a & b"),
            ("Pages 3-5", "Pages 3 5"),
            ("I live in Oslo", "I live in Os lo"),
        ] {
            assert_ne!(said(one), said(other), "{one} / {other}");
        }
    }

    #[test]
    fn nothing_but_punctuation_says_nothing() {
        for text in ["", " ", "...", "!", "“”"] {
            assert_eq!(said(text), "", "{text}");
        }
    }
}
