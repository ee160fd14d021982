//! Values of `KIMBERLY_*` variables: written like TOML, but texts need no quotes.

use toml::{Table, Value};

/// Maximum brackets in a value, since it is parsed recursively.
const MAX_BRACKETS: usize = 256;

/// What was parsed at the start of a text, and the rest of the text.
type Parsed<'a, T = Value> = Option<(T, &'a str)>;

/// The value of a variable: a list, a table, a quoted text, a number or a boolean, else the text itself.
pub(super) fn parsed(raw: &str) -> Value {
    let is_shallow = raw.bytes().filter(|byte| matches!(byte, b'[' | b'{')).count() <= MAX_BRACKETS;
    match is_shallow.then(|| value(raw)).flatten() {
        Some((value, "")) => value,
        _ => Value::String(raw.to_owned()),
    }
}

fn value(text: &str) -> Parsed<'_> {
    let text = text.trim_start();
    let (value, rest) = if let Some(inner) = text.strip_prefix('[') {
        let (items, rest) = delimited(inner, ']', value)?;
        (Value::Array(items), rest)
    } else if let Some(inner) = text.strip_prefix('{') {
        let (entries, rest) = delimited(inner, '}', entry)?;
        (Value::Table(Table::from_iter(entries)), rest)
    } else if text.starts_with('"') {
        let (text, rest) = quoted(text)?;
        (Value::String(text), rest)
    } else {
        let (word, rest) = text.split_at(text.find([',', '[', ']', '{', '}']).unwrap_or(text.len()));
        (plain(word.trim_end()), rest)
    };
    Some((value, rest.trim_start()))
}

/// Items with commas between them, up to `end`.
fn delimited<'a, T>(mut rest: &'a str, end: char, item: impl Fn(&'a str) -> Parsed<'a, T>) -> Parsed<'a, Vec<T>> {
    let mut items = Vec::new();
    loop {
        rest = rest.trim_start();
        if let Some(rest) = rest.strip_prefix(end) {
            return Some((items, rest));
        }
        let (found, behind) = item(rest)?;
        items.push(found);
        rest = match behind.strip_prefix(',') {
            None if !behind.starts_with(end) => return None,
            None => behind,
            Some(rest) => rest,
        };
    }
}

fn entry(text: &str) -> Parsed<'_, (String, Value)> {
    let (key, rest) = if text.starts_with('"') {
        quoted(text)?
    } else {
        text.find('=').map(|end| (text[..end].trim_end().to_owned(), &text[end..]))?
    };
    let (value, rest) = value(rest.trim_start().strip_prefix('=')?)?;
    Some(((key, value), rest))
}

/// A text in quotes. Its escapes are those of JSON, which TOML shares.
fn quoted(text: &str) -> Parsed<'_, String> {
    let mut texts = serde_json::Deserializer::from_str(text).into_iter();
    let found = texts.next()?.ok()?;
    Some((found, &text[texts.byte_offset()..]))
}

fn plain(word: &str) -> Value {
    let float = || word.contains('.').then(|| word.parse().ok().map(Value::Float)).flatten();
    match (word, word.parse()) {
        ("true", _) => Value::Boolean(true),
        ("false", _) => Value::Boolean(false),
        (_, Ok(number)) => Value::Integer(number),
        _ => float().unwrap_or_else(|| Value::String(word.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_like_toml() {
        for (raw, toml) in [
            (" true ", "true"),
            ("-2", "-2"),
            ("1.5", "1.5"),
            ("\"1.5\"", "\"1.5\""),
            ("\"a \\\"b\\\", \\u00e9\"", "\"a \\\"b\\\", \\u00e9\""),
            ("[]", "[]"),
            ("[ 1, [2], 3, ]", "[1, [2], 3]"),
            ("[\"image/*\", \"a,b\"]", "[\"image/*\", \"a,b\"]"),
            ("{every = \"2d\", \"cap\" = 5}", "{every = \"2d\", cap = 5}"),
        ] {
            let expected: Table = format!("value = {toml}").parse().unwrap();
            assert_eq!(parsed(raw), expected["value"], "{raw}");
        }
    }

    #[test]
    fn texts_need_no_quotes() {
        let plain = ["", "8MiB", "trueish", "a,b", "[::1]:7420", "127.0.0.1:1", "1e3", "nan"];
        for text in plain.into_iter().chain(["[", "[1", "\"open", "{a}", "{a=1"]) {
            assert_eq!(parsed(text), Value::String(text.to_owned()), "{text}");
        }
        let texts = |of: &[&str]| Value::Array(of.iter().map(|text| Value::String((*text).to_owned())).collect());
        assert_eq!(parsed("[a.example, b]"), texts(&["a.example", "b"]));
        assert_eq!(
            parsed("{a = b}"),
            Value::Table(Table::from_iter([("a".to_owned(), Value::String("b".to_owned()))]))
        );
    }
}
