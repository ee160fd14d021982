//! Tokenizes texts.

use std::panic::AssertUnwindSafe;

use serde::Deserialize;
use serde::de::IgnoredAny;
use tokenizers::{Tokenizer, TruncationParams};

use super::ModelError;
use super::architecture::Architecture;
use super::files::Files;
use super::modules::Modules;

/// Part of `tokenizer_config.json`, used only if `sentence_bert_config.json` does not limit the text length.
#[derive(Debug, Default, Deserialize)]
struct RawTokenizerConfig {
    /// A huge number means unlimited.
    model_max_length: Option<f64>,
}

/// Tolerated rows of the token table without a token: tables are rounded up to even sizes.
const SPARE_ROWS: usize = 1_024;
/// Texts are truncated to this many bytes per token of the window before tokenization: no tokenizer of the family has
/// longer tokens on average, and texts of megabytes would take long.
const BYTES_PER_TOKEN: usize = 64;

/// The tokenizer and the model's window.
#[derive(Debug)]
pub(super) struct Tokens {
    tokenizer: Tokenizer,
    window: usize,
    lower_case: bool,
}

impl Tokens {
    /// Reads the tokenizer of a model whose inputs consist of `parts` texts, one or two.
    pub(super) fn read(
        files: &Files,
        modules: &Modules,
        architecture: &Architecture,
        parts: usize,
    ) -> Result<Self, ModelError> {
        let name = modules.transformer_file("tokenizer.json");
        let refused = |problem: String| ModelError::refused(name.clone(), problem);
        let bytes = files.required(&name)?;
        let mut tokenizer = parse(&bytes).map_err(|error| refused(format!("cannot be parsed: {error}")))?;
        let vocabulary = tokenizer.get_vocab(true);
        let highest = vocabulary.values().max().map_or(0, |id| usize::try_from(*id).unwrap_or(usize::MAX));
        let rows = architecture.vocabulary;
        if highest >= rows || vocabulary.len() + SPARE_ROWS <= rows {
            return Err(refused(format!(
                "has {} tokens, numbered up to {highest}, but config.json says that the model has {rows}; they belong to \
                 different models",
                vocabulary.len()
            )));
        }
        let asked = match modules.sentences.max_seq_length {
            Some(asked) => asked,
            None => longest_by_tokenizer(files, modules)?,
        };
        let window = asked.min(architecture.longest());
        let special = tokenizer.get_post_processor().map_or(0, |after| {
            use tokenizers::PostProcessor as _;
            after.added_tokens(parts > 1)
        });
        if window <= special {
            let (file, key) = if modules.sentences.max_seq_length.is_some() {
                ("sentence_bert_config.json", "max_seq_length")
            } else {
                ("config.json", "a window of")
            };
            return Err(ModelError::refused(
                modules.transformer_file(file),
                format!("has {key} {window}; {special} are taken by the tokenizer's own marks"),
            ));
        }
        tokenizer.with_padding(None);
        let cut = TruncationParams { max_length: window, ..TruncationParams::default() };
        tokenizer
            .with_truncation(Some(cut))
            .map_err(|error| refused(format!("cannot cut texts to {window} tokens: {error}")))?;
        Ok(Self { tokenizer, window, lower_case: modules.sentences.do_lower_case })
    }

    pub(super) const fn window(&self) -> usize {
        self.window
    }

    /// The tokens of a pair of texts, and the position of the first that is of the second token type. A pair beyond the
    /// window loses the end of its longer text first.
    pub(super) fn of_pair(&self, first: &str, second: &str) -> Result<(Vec<u32>, usize), ModelError> {
        let cut = |text: &str| {
            let text = &text[..text.floor_char_boundary(self.window * BYTES_PER_TOKEN)];
            if self.lower_case { text.to_lowercase() } else { text.to_owned() }
        };
        let pair = (cut(first), cut(second));
        let encoding = unpanicked(|| self.tokenizer.encode_fast(pair, true).map_err(|error| error.to_string()))
            .map_err(|error| ModelError::Compute(format!("a pair of texts cannot be tokenized: {error}")))?;
        let (ids, types) = (encoding.get_ids(), encoding.get_type_ids());
        // Without special tokens, empty texts have no tokens; they become one padding token.
        let ids = if ids.is_empty() { vec![0] } else { ids.to_vec() };
        let second = types.iter().position(|kind| *kind > 0).unwrap_or(ids.len());
        Ok((ids, second))
    }

    /// The tokens of a prefix and a text.
    pub(super) fn of(&self, prefix: &str, text: &str) -> Result<Vec<u32>, ModelError> {
        let text = &text[..text.floor_char_boundary(self.window * BYTES_PER_TOKEN)];
        let whole;
        let text = if prefix.is_empty() && !self.lower_case {
            text
        } else {
            let joined = format!("{prefix}{text}");
            whole = if self.lower_case { joined.to_lowercase() } else { joined };
            &whole
        };
        let encoding = unpanicked(|| self.tokenizer.encode_fast(text, true).map_err(|error| error.to_string()))
            .map_err(|error| ModelError::Compute(format!("a text cannot be tokenized: {error}")))?;
        let ids = encoding.get_ids();
        // Without special tokens, an empty text has no tokens; it becomes one padding token.
        Ok(if ids.is_empty() { vec![0] } else { ids.to_vec() })
    }
}

/// Parses a tokenizer. Checks for JSON first, since the library panics on some invalid input.
fn parse(bytes: &[u8]) -> Result<Tokenizer, String> {
    serde_json::from_slice::<IgnoredAny>(bytes).map_err(|error| error.to_string())?;
    unpanicked(|| Tokenizer::from_bytes(bytes).map_err(|error| error.to_string()))
}

/// Runs library code and converts panics, which some files cause, to errors.
fn unpanicked<T>(run: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    std::panic::catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Err("the tokenizer's library failed".to_owned()))
}

/// Maximum tokens per text according to the tokenizer's configuration.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a conversion of floats saturates")]
fn longest_by_tokenizer(files: &Files, modules: &Modules) -> Result<usize, ModelError> {
    let raw: Option<RawTokenizerConfig> = files.optional_json(&modules.transformer_file("tokenizer_config.json"))?;
    Ok(raw.unwrap_or_default().model_max_length.map_or(usize::MAX, |most| most as usize))
}
