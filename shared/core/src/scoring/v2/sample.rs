//! Samples long contents: relevance needs to see what a text is about, not every word of it.

/// Contents up to this many bytes are read whole.
const WHOLE: usize = 8 * 1024;
/// Windows read of a longer content.
const WINDOWS: usize = 8;
/// Bytes per window.
const WINDOW: usize = 1024;

/// Returns the parts of a content that count: all of it, or 8 windows of 1 KiB each, spread evenly from beginning to
/// end and cut to whole words.
pub(super) fn sample(content: &str) -> impl Iterator<Item = &str> {
    let windows = if content.len() <= WHOLE { 0 } else { WINDOWS };
    let whole = (windows == 0).then_some(content);
    let last = content.len().saturating_sub(WINDOW);
    let sampled = (0..windows).filter_map(move |n| window(content, last / (WINDOWS - 1) * n));
    whole.into_iter().chain(sampled)
}

/// Returns about one window from `start` on, without the words cut at its ends.
fn window(content: &str, start: usize) -> Option<&str> {
    let (from, to) = (content.floor_char_boundary(start), content.floor_char_boundary(start + WINDOW));
    let text = content.get(from..to)?;
    let begin = if from == 0 { 0 } else { text.find(char::is_whitespace).unwrap_or(0) };
    let end = if to == content.len() { text.len() } else { text.rfind(char::is_whitespace).unwrap_or(text.len()) };
    text.get(begin..end.max(begin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_content_is_read_whole() {
        let text = "x ".repeat(WHOLE / 2);
        assert_eq!(sample(&text).collect::<Vec<_>>(), [text.as_str()]);
        assert_eq!(sample("").collect::<String>(), "");
    }

    #[test]
    fn long_content_is_read_in_stretches_of_whole_words() {
        let words: Vec<String> = (0..20_000).map(|n| format!("wörd{n:05}")).collect();
        let text = words.join(" ");
        let read: Vec<&str> = sample(&text).collect();
        assert_eq!(read.len(), WINDOWS);
        assert!(read[0].starts_with("wörd00000") && read[1].trim_start() > "wörd01000");
        for stretch in read {
            assert!(stretch.len() <= WINDOW);
            assert!(stretch.split_whitespace().all(|word| words.iter().any(|known| known == word)));
        }
    }

    #[test]
    fn content_without_gaps_is_read_all_the_same() {
        let text = "\u{8bb0}".repeat(WHOLE);
        assert!(sample(&text).all(|stretch| stretch.len() > WINDOW - 4));
    }
}
