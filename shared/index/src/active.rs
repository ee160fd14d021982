//! Which model answers: a small file that is replaced as a whole.
//!
//! Its first line is `<slug> <dimension>`. Further lines, `gone <slug>`, name indices that were answering before and
//! are being removed: they stand there until that is done, so that a kill in between leaves nothing behind.

use std::io::ErrorKind;
use std::path::Path;

use kimberly_core::embedding::ModelKey;
use kimberly_core::error::Result;

use crate::errors::{corrupt, io};

/// The file, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Active {
    pub(crate) model: ModelKey,
    /// Slugs of the indices to remove.
    pub(crate) gone: Vec<String>,
}

impl Active {
    /// Reads the file; `None` if there is none.
    pub(crate) fn read(path: &Path) -> Result<Option<Self>> {
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse(&text).map(Some).ok_or_else(|| corrupt(path, "does not say which model answers")),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
            Err(error) if error.kind() == ErrorKind::InvalidData => Err(corrupt(path, "is no text")),
            Err(error) => Err(io("reading", path, &error)),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.strip_suffix('\n')?.lines();
        let (slug, dimension) = lines.next()?.split_once(' ')?;
        let model = ModelKey::parse(slug, dimension.parse().ok()?).ok()?;
        // A slug is a safe folder name only if it is one: what is removed must never lead elsewhere.
        let checked = |line: &str| {
            let slug = line.strip_prefix("gone ")?;
            ModelKey::parse(slug, 1).ok().map(|_| slug.to_owned())
        };
        let gone = lines.map(checked).collect::<Option<_>>()?;
        Some(Self { model, gone })
    }

    /// The text of the file.
    pub(crate) fn text(&self) -> String {
        let mut lines = vec![format!("{} {}", self.model.slug(), self.model.dimension())];
        lines.extend(self.gone.iter().map(|slug| format!("gone {slug}")));
        lines.push(String::new());
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back_and_nothing_else_is_taken() {
        let model = ModelKey::new("a-b", "0123456789abcdef", 384).unwrap();
        for gone in [vec![], vec!["c-0123456789abcdef".to_owned()]] {
            let active = Active { model: model.clone(), gone };
            assert_eq!(Active::parse(&active.text()), Some(active));
        }
        for text in [
            "",
            "\n",
            "a-b-0123456789abcdef\n",
            "a-b-0123456789abcdef 384",
            "a-b-0123456789abcdef 0\n",
            "../x 384\n",
            "a-b-0123456789abcdef 384\ngone ../..\n",
            "a-b-0123456789abcdef 384\nelse\n",
        ] {
            assert_eq!(Active::parse(text), None, "{text:?}");
        }
    }
}
