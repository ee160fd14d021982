//! What a sentence looks like, whatever its language: its end, its numbers, capitals, addresses.

use super::tokens::{Class, Token};

macro_rules! shapes {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        /// What is true of the look of a sentence.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Shape { $($(#[$doc])* $name),+ }

        impl Shape {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];
        }
    };
}

shapes! {
    /// Ends with a question mark.
    Asks,
    /// Ends with an exclamation mark.
    Exclaims,
    /// Ends with a full stop.
    EndsStop,
    /// Ends with a colon.
    EndsColon,
    /// Ends with a comma.
    EndsComma,
    /// Ends with dots.
    Trails,
    /// Ends without a mark.
    Open,
    /// Begins with a small letter.
    Small,
    /// Begins with a capital.
    Capital,
    /// Has a capital after its first word.
    HasName,
    /// Has a word in capitals.
    Shouts,
    /// Has an emoji.
    Emoji,
    /// Has a number.
    Number,
    /// Has a number of four digits.
    Year,
    /// Has a time such as 10:30.
    Time,
    /// Has a date such as 3.4. or 2024-05-01.
    Date,
    /// Has a sum of money.
    Money,
    /// Has a percentage.
    Percent,
    /// Has seven or more digits with few marks between.
    Phone,
    /// Has a mail address.
    Mail,
    /// Has an address on the web.
    Web,
    /// Has a path or a name of a file.
    Path,
    /// Has a piece between backticks.
    Ticks,
    /// Is wholly between quotation marks.
    Quoted,
    /// Has quotation marks.
    HasQuotes,
    /// Is wholly between brackets.
    Bracketed,
}

/// The shapes of a sentence.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shapes(u32);

impl Shapes {
    /// Whether it has a shape.
    pub const fn has(self, shape: Shape) -> bool {
        self.0 & (1 << shape as u32) != 0
    }

    const fn set(&mut self, shape: Shape, holds: bool) {
        if holds {
            self.0 |= 1 << shape as u32;
        }
    }
}

/// Looks at a sentence.
pub fn shapes(text: &str, tokens: &[Token]) -> Shapes {
    let mut shapes = Shapes::default();
    ends(text.trim(), &mut shapes);
    numbers(text, &mut shapes);
    let words = || tokens.iter().filter(|token| token.class == Class::Word);
    let first = words().next();
    shapes.set(Shape::Small, first.is_some_and(|token| !token.capital));
    shapes.set(Shape::Capital, first.is_some_and(|token| token.capital));
    shapes.set(Shape::HasName, words().skip(1).any(|token| token.capital && !token.shouted));
    shapes.set(Shape::Shouts, words().any(|token| token.shouted));
    shapes.set(Shape::Emoji, tokens.iter().any(|token| token.class == Class::Emoji));
    shapes
}

fn ends(text: &str, shapes: &mut Shapes) {
    let inner = text.trim_end_matches(['"', '”', '“', '»', ')', '\'', '*']);
    shapes.set(Shape::Asks, inner.ends_with('?'));
    shapes.set(Shape::Exclaims, inner.ends_with('!'));
    shapes.set(Shape::Trails, inner.ends_with("..") || inner.ends_with('…'));
    shapes.set(Shape::EndsStop, inner.ends_with('.') && !shapes.has(Shape::Trails));
    shapes.set(Shape::EndsColon, inner.ends_with(':'));
    shapes.set(Shape::EndsComma, inner.ends_with(','));
    shapes.set(Shape::Open, !inner.ends_with(['?', '!', '.', '…', ':', ',']));
    let quotes = ['"', '“', '„', '”', '«', '»'];
    shapes.set(Shape::HasQuotes, text.contains(quotes));
    shapes
        .set(Shape::Quoted, text.starts_with(quotes) && text.trim_end_matches(['.', ',', '!', '?']).ends_with(quotes));
    shapes.set(Shape::Bracketed, text.starts_with('(') && text.ends_with(')'));
    shapes.set(Shape::Ticks, text.contains('`'));
    shapes.set(Shape::Web, text.contains("://") || text.contains("www."));
}

fn numbers(text: &str, shapes: &mut Shapes) {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let (mut run, mut digits, mut gap) = (0, 0, 0);
    let web = shapes.has(Shape::Web);
    for (at, byte) in bytes.iter().enumerate() {
        let near = at > 0 && digit(at - 1) && digit(at + 1);
        match byte {
            b'0'..=b'9' => {
                (run, digits, gap) = (run + 1, digits + 1, 0);
                shapes.set(Shape::Number, true);
                shapes.set(Shape::Year, run == 4 && !digit(at + 1));
                shapes.set(Shape::Phone, digits >= 7);
                continue;
            }
            b':' => shapes.set(Shape::Time, near),
            b'.' => shapes.set(Shape::Date, near || (at > 0 && digit(at - 1) && at + 1 < bytes.len())),
            b'/' | b'-' => shapes.set(Shape::Date, near),
            b'%' => shapes.set(Shape::Percent, at > 0),
            b'$' => shapes.set(Shape::Money, digit(at + 1)),
            b'@' => shapes.set(Shape::Mail, at > 0 && bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric)),
            _ => {}
        }
        let slash = *byte == b'/' && bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic);
        shapes.set(Shape::Path, slash && at > 0 && !web);
        (run, gap) = (0, gap + 1);
        if gap > 1 {
            digits = 0;
        }
    }
    shapes.set(Shape::Money, shapes.has(Shape::Number) && text.contains(['€', '£', '$']));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::tokens::Tokens;

    fn has(text: &str, shape: Shape) -> bool {
        shapes(text, Tokens::of(text, 0).all()).has(shape)
    }

    #[test]
    fn numbers_and_ends_are_seen() {
        assert!(has("Call 0171 23 45 678", Shape::Phone));
        assert!(has("at 10:30.", Shape::Time));
        assert!(has("am 3.4. dann", Shape::Date));
        assert!(has("it cost €20", Shape::Money));
        assert!(has("me@example.org", Shape::Mail));
        assert!(has("\"Really?\"", Shape::Asks));
        assert!(has("\"Really?\"", Shape::Quoted));
        assert!(!has("one: two", Shape::Time));
    }
}
