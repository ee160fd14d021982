//! The values of a JSON file, one at a time: the elements of an array, or consecutive values, on separate lines or not.

use std::io::{BufRead, Bytes};

use kimberly_transcode::mended;
use serde_json::Value;

/// Maximum size of one value in bytes: far more than any conversation needs.
const MAX_VALUE: usize = 64 << 20;

/// Iterates over values. Ends after an error.
pub(super) struct Values<R> {
    bytes: Bytes<R>,
    /// A byte that was read but not used.
    back: Option<u8>,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Start,
    /// In an array, before its first element or after a comma.
    Element,
    /// In an array, after an element.
    Comma,
    /// Between values outside of an array.
    Between,
    End,
}

impl<R: BufRead> Values<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { bytes: reader.bytes(), back: None, state: State::Start }
    }

    fn byte(&mut self) -> Result<Option<u8>, String> {
        match self.back.take() {
            Some(byte) => Ok(Some(byte)),
            None => self.bytes.next().transpose().map_err(|error| error.to_string()),
        }
    }

    /// The first byte that is not white space.
    fn visible(&mut self) -> Result<Option<u8>, String> {
        loop {
            match self.byte()? {
                // A byte order mark counts as white space.
                Some(b' ' | b'\t' | b'\r' | b'\n' | 0xEF | 0xBB | 0xBF) => {}
                other => return Ok(other),
            }
        }
    }

    fn read(&mut self) -> Result<Option<Value>, String> {
        loop {
            let first = self.visible()?;
            match (self.state, first) {
                (State::Start, Some(b'[')) | (State::Comma, Some(b',')) => self.state = State::Element,
                (State::Start | State::Between, Some(first)) => {
                    self.state = State::Between;
                    return self.value(first).map(Some);
                }
                (State::Start | State::Between, None) | (State::End, _) => return Ok(None),
                (State::Element | State::Comma, Some(b']')) => {
                    return match self.visible()? {
                        None => Ok(None),
                        Some(_) => Err("there is data after the end of the list".to_owned()),
                    };
                }
                (State::Element, Some(first)) => {
                    self.state = State::Comma;
                    return self.value(first).map(Some);
                }
                (State::Comma, Some(_)) => return Err("there is no comma before it".to_owned()),
                (State::Element | State::Comma, None) => return Err("the file ends before its list does".to_owned()),
            }
        }
    }

    fn value(&mut self, first: u8) -> Result<Value, String> {
        let mut raw = vec![first];
        let (mut depth, mut in_text, mut escaped) = (u32::from(matches!(first, b'{' | b'[')), first == b'"', false);
        let plain = depth == 0 && !in_text;
        while depth > 0 || in_text || plain {
            let Some(byte) = self.byte()? else { break };
            if plain && matches!(byte, b',' | b']' | b' ' | b'\t' | b'\r' | b'\n') {
                self.back = Some(byte);
                break;
            }
            raw.push(byte);
            if raw.len() > MAX_VALUE {
                return Err(format!("it is larger than {} MiB", MAX_VALUE >> 20));
            }
            match (in_text, byte) {
                (true, _) if escaped => escaped = false,
                (true, b'\\') => escaped = true,
                (_, b'"') => in_text = !in_text,
                (false, b'{' | b'[') => depth += 1,
                (false, b'}' | b']') => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        serde_json::from_slice(&mended(&raw)).map_err(|error| format!("not JSON ({error})"))
    }
}

impl<R: BufRead> Iterator for Values<R> {
    type Item = Result<Value, String>;

    fn next(&mut self) -> Option<Self::Item> {
        let read = self.read().transpose();
        if !matches!(read, Some(Ok(_))) {
            self.state = State::End;
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Result<Vec<Value>, String> {
        Values::new(text.as_bytes()).collect()
    }

    #[test]
    fn elements_and_values_behind_each_other_come_one_at_a_time() {
        let expected: Vec<Value> = serde_json::from_str(r#"[{"a":"]}\"{"},[1,[2]],"x\\",3,null]"#).unwrap();
        assert_eq!(all("\u{feff} [{\"a\":\"]}\\\"{\"} ,\n[1,[2]],\"x\\\\\",3,null ]\n").unwrap(), expected);
        assert_eq!(all("{\"a\":\"]}\\\"{\"}\n[1,[2]]\n\"x\\\\\" 3\nnull\n").unwrap(), expected);
        assert_eq!(all("").unwrap(), Vec::<Value>::new());
        assert_eq!(all("[]").unwrap(), Vec::<Value>::new());
    }

    #[test]
    fn what_is_no_json_ends_with_what_is_wrong() {
        for (text, wrong) in [
            ("[1, 2", "ends before its list"),
            ("[1 2]", "no comma"),
            ("[1] 2", "after the end"),
            ("{\"a\": 1", "not JSON (EOF"),
            ("[{\"a\": tru}]", "not JSON"),
            ("PK\u{3}\u{4}", "not JSON"),
        ] {
            let said = all(text).unwrap_err();
            assert!(said.contains(wrong), "{text}: {said}");
        }
    }
}
