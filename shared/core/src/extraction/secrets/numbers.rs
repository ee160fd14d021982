//! Finds card numbers by the Luhn check digit (ISO/IEC 7812) and account numbers by the IBAN check digits (ISO 13616).

use std::ops::Range;

/// Number of digits of a card.
const CARD: std::ops::RangeInclusive<usize> = 13..=19;
/// Number of characters of an IBAN.
const IBAN: std::ops::RangeInclusive<usize> = 15..=34;

pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let starts = at == 0 || !bytes[at - 1].is_ascii_alphanumeric();
        let end = match bytes[at] {
            byte if starts && byte.is_ascii_digit() => card(bytes, at),
            byte if starts && byte.is_ascii_uppercase() => iban(bytes, at),
            _ => None,
        };
        if let Some(end) = end {
            found.push(at..end);
        }
        at = end.unwrap_or(at + 1);
    }
}

/// The end of a card number that starts here.
fn card(bytes: &[u8], at: usize) -> Option<usize> {
    let (mut digits, mut end) = (Vec::with_capacity(20), at);
    for (index, byte) in bytes[at..].iter().enumerate() {
        let next_is_digit = bytes.get(at + index + 1).is_some_and(u8::is_ascii_digit);
        match byte {
            b'0'..=b'9' => {
                digits.push(u32::from(byte - b'0'));
                end = at + index + 1;
            }
            b' ' | b'-' if next_is_digit => {}
            _ => break,
        }
        if digits.len() > *CARD.end() {
            return None;
        }
    }
    let behind = bytes.get(end).is_some_and(u8::is_ascii_alphanumeric);
    (!behind && CARD.contains(&digits.len()) && digits[0] >= 2 && luhn(&digits)).then_some(end)
}

fn luhn(digits: &[u32]) -> bool {
    let value = |(index, digit): (usize, &u32)| match index % 2 {
        0 => *digit,
        _ if *digit > 4 => digit * 2 - 9,
        _ => digit * 2,
    };
    digits.iter().rev().enumerate().map(value).sum::<u32>() % 10 == 0
}

/// The end of an IBAN that starts here.
fn iban(bytes: &[u8], at: usize) -> Option<usize> {
    let head = bytes.get(at..at + 4)?;
    if !head[..2].iter().all(u8::is_ascii_uppercase) || !head[2..].iter().all(u8::is_ascii_digit) {
        return None;
    }
    let (mut all, mut best) = (Vec::with_capacity(36), None);
    for (index, byte) in bytes[at..].iter().enumerate() {
        match byte {
            b'0'..=b'9' | b'A'..=b'Z' => all.push(*byte),
            b' ' if bytes.get(at + index + 1).is_some_and(u8::is_ascii_alphanumeric) => continue,
            _ => break,
        }
        if all.len() > *IBAN.end() {
            break;
        }
        let ends = bytes.get(at + index + 1).is_none_or(|next| !next.is_ascii_alphanumeric());
        if ends && IBAN.contains(&all.len()) && checks(&all) {
            best = Some(at + index + 1);
        }
    }
    best
}

fn checks(iban: &[u8]) -> bool {
    let value = |rest: u32, byte: &u8| match byte {
        b'0'..=b'9' => (rest * 10 + u32::from(byte - b'0')) % 97,
        _ => (rest * 100 + u32::from(byte - b'A') + 10) % 97,
    };
    iban[4..].iter().chain(&iban[..4]).fold(0, value) == 1
}
