//! Patterns for numbers sent as strings, so that their bounds are part of the schema.

/// Returns an unanchored pattern for whole numbers from `first` to `last`.
fn range(first: i128, last: i128) -> String {
    let mut parts = Vec::new();
    if first < 0 {
        parts.extend(from_zero(if last < 0 { -last } else { 1 }, -first).into_iter().map(|part| format!("-{part}")));
    }
    if last >= 0 {
        parts.extend(from_zero(first.max(0), last));
    }
    format!("({})", parts.join("|"))
}

/// Returns patterns that together match the non-negative numbers from `first` to `last`.
fn from_zero(first: i128, last: i128) -> Vec<String> {
    let mut parts = Vec::new();
    let mut start = first;
    while start <= last {
        // Finds the largest block of width 10^n that starts at `start`, has n free digits, and does not pass `last`.
        let mut width = 1;
        while start % (width * 10) == 0 && start + width * 10 - 1 <= last && start > 0 {
            width *= 10;
        }
        // Joins the adjacent blocks that differ in one digit only.
        let digit = start / width % 10;
        let blocks = (10 - digit).min((last - start + 1) / width).max(1);
        parts.push(block(start, width, blocks));
        start += width * blocks;
    }
    parts
}

fn block(start: i128, width: i128, blocks: i128) -> String {
    let (head, digit) = (start / width / 10, start / width % 10);
    let head = if head > 0 { head.to_string() } else { String::new() };
    let digit = if blocks == 1 { digit.to_string() } else { format!("[{digit}-{}]", digit + blocks - 1) };
    let free = width.ilog10();
    let tail = if free > 0 { format!("[0-9]{{{free}}}") } else { String::new() };
    format!("{head}{digit}{tail}")
}

/// Returns the pattern for a whole number from `first` to `last`, sent as a string.
pub fn whole_pattern(first: i128, last: i128) -> String {
    format!("^{}$", range(first, last))
}

/// Returns the pattern for a non-negative `google.protobuf.Duration` from `first` to `last` whole seconds.
pub fn span_pattern(first: i64, last: i64) -> String {
    let fraction = "(\\.[0-9]{1,9})?";
    let inner =
        if first < last { format!("{}{fraction}|", range(first.into(), i128::from(last) - 1)) } else { String::new() };
    format!("^({inner}{last}(\\.0{{1,9}})?)s$")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Matches a pattern generated here: alternatives of literal digits, one class and a number of free digits.
    fn matches(pattern: &str, text: &str) -> bool {
        let inner = pattern.strip_prefix("^(").unwrap().strip_suffix(")$").unwrap();
        inner.split('|').any(|part| {
            let (head, rest) = part.split_once('[').unwrap_or((part, ""));
            let Some(mut text) = text.strip_prefix(head) else { return false };
            for class in rest.split('[').filter(|class| !class.is_empty()) {
                let (bounds, times) = class.split_once(']').unwrap();
                let times = times.strip_prefix('{').map_or(1, |n| n.strip_suffix('}').unwrap().parse().unwrap());
                for _ in 0..times {
                    let Some(first) = text.as_bytes().first() else { return false };
                    if !(bounds.as_bytes()[0]..=bounds.as_bytes()[2]).contains(first) {
                        return false;
                    }
                    text = &text[1..];
                }
            }
            text.is_empty()
        })
    }

    #[test]
    fn patterns_match_just_the_numbers_within() {
        for (first, last) in [(0, 0), (0, 9), (1, 100), (0, 1_000), (7, 123), (-5, 5), (-120, -7), (99, 1_001), (5, 5)]
        {
            let pattern = whole_pattern(first, last);
            for number in -1_300..1_300 {
                let within = (first..=last).contains(&number);
                assert_eq!(matches(&pattern, &number.to_string()), within, "{number} and {pattern}");
            }
            assert!(!matches(&pattern, "") && !matches(&pattern, "007") && !matches(&pattern, "1x"));
        }
    }

    #[test]
    fn patterns_of_large_ranges_stay_short() {
        for (first, last) in [(i128::from(i64::MIN), i128::from(i64::MAX)), (1_024, 1 << 40), (0, 315_576_000_000)] {
            let pattern = whole_pattern(first, last);
            assert!(pattern.len() < 1_500, "{}", pattern.len());
            assert!(matches(&pattern, &first.to_string()) && matches(&pattern, &last.to_string()));
            assert!(!matches(&pattern, &(last + 1).to_string()) && !matches(&pattern, &(first - 1).to_string()));
        }
    }

    #[test]
    fn spans_may_have_fractions_below_the_last_second() {
        assert_eq!(span_pattern(0, 10), "^(([0-9])(\\.[0-9]{1,9})?|10(\\.0{1,9})?)s$");
    }
}
