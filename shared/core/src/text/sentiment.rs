//! Sentiment of a text by the VADER lexicon and rules (Hutto and Gilbert, ICWSM-14), in parity with the reference
//! implementation 3.3.2. English; other languages score near 0. Computed once when a content is written.

use std::sync::OnceLock;

use vader_parity::SentimentIntensityAnalyzer;

/// Most bytes read of a text: VADER is made for short texts, and its `compound` saturates long before.
pub const MAX_BYTES: usize = 16 * 1024;

/// VADER's `compound` of a text, rounded to four decimals, in [-1, 1]: below 0 is negative, 0 neutral, above 0 positive.
/// Reads at most the first [`MAX_BYTES`]. Results are bit-identical on every platform.
pub fn compound(text: &str) -> f64 {
    static ANALYZER: OnceLock<SentimentIntensityAnalyzer> = OnceLock::new();
    let analyzer = ANALYZER.get_or_init(SentimentIntensityAnalyzer::new);
    let read = text.get(..text.floor_char_boundary(MAX_BYTES)).unwrap_or(text);
    analyzer.polarity_scores(read).compound.clamp(-1.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feelings_have_their_sign_and_facts_have_none() {
        assert!(compound("I love this, it is wonderful!") > 0.6);
        assert!(compound("This is horrible and I hate it.") < -0.6);
        assert_eq!(compound("The train leaves at nine.").to_bits(), 0_f64.to_bits());
        assert_eq!(compound("").to_bits(), 0_f64.to_bits());
    }

    #[test]
    fn scores_agree_with_the_reference_to_the_bit() {
        // Published examples of vaderSentiment 3.3.2.
        for (text, expected) in [
            ("VADER is smart, handsome, and funny.", 0.8316_f64),
            ("VADER is VERY SMART, handsome, and FUNNY!!!", 0.9342),
            ("VADER is not smart, handsome, nor funny.", -0.7424),
            ("Today SUX!", -0.5461),
        ] {
            assert_eq!(compound(text).to_bits(), expected.to_bits(), "{text}");
        }
    }

    #[test]
    fn long_text_is_read_to_a_bound_and_cut_between_characters() {
        let long = "\u{1f600}".repeat(MAX_BYTES);
        assert!((-1.0..=1.0).contains(&compound(&long)));
        let tail_ignored = format!("{}terrible", "word ".repeat(MAX_BYTES));
        assert_eq!(compound(&tail_ignored).to_bits(), 0_f64.to_bits());
    }
}
