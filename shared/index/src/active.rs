//! The name of the active model: a small file, replaced atomically.
//!
//! Its first line is `<slug> <dimension>`. A line `next <slug> <dimension>` names the index being built to replace
//! it, which is searched beside it. Further lines, `gone <slug>`, name previously active indices that are being
//! removed: they stay until the removal is complete, so that a kill in between leaves nothing behind.

use std::io::ErrorKind;
use std::path::Path;

use kimberly_core::embedding::ModelKey;
use kimberly_core::error::Result;

use crate::errors::{corrupt, io};

/// Prefix of the line for the index being built.
const NEXT: &str = "next ";

/// The parsed file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Active {
    pub(crate) model: ModelKey,
    /// The model whose index is being built.
    pub(crate) next: Option<ModelKey>,
    /// Slugs of the indices to remove.
    pub(crate) gone: Vec<String>,
}

impl Active {
    /// Reads the file; `None` if it is missing.
    pub(crate) fn read(path: &Path) -> Result<Option<Self>> {
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse(&text).map(Some).ok_or_else(|| corrupt(path, "does not say which model answers")),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
            Err(error) if error.kind() == ErrorKind::InvalidData => Err(corrupt(path, "is no text")),
            Err(error) => Err(io("reading", path, &error)),
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut lines = text.strip_suffix('\n')?.lines().peekable();
        let model = model_of(lines.next()?)?;
        let next = match lines.next_if(|line| line.starts_with(NEXT)) {
            Some(line) => Some(model_of(line.strip_prefix(NEXT)?)?),
            None => None,
        };
        // Validated, since a slug becomes a folder name: a removal must never reach another path.
        let checked = |line: &str| {
            let slug = line.strip_prefix("gone ")?;
            ModelKey::parse(slug, 1).ok().map(|_| slug.to_owned())
        };
        let gone = lines.map(checked).collect::<Option<_>>()?;
        Some(Self { model, next, gone })
    }

    /// The file's text.
    pub(crate) fn text(&self) -> String {
        let line = |model: &ModelKey| format!("{} {}", model.slug(), model.dimension());
        let mut lines = vec![line(&self.model)];
        lines.extend(self.next.as_ref().map(|next| format!("{NEXT}{}", line(next))));
        lines.extend(self.gone.iter().map(|slug| format!("gone {slug}")));
        lines.push(String::new());
        lines.join("\n")
    }
}

/// Parses a model in a line.
fn model_of(line: &str) -> Option<ModelKey> {
    let (slug, dimension) = line.split_once(' ')?;
    ModelKey::parse(slug, dimension.parse().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back_and_nothing_else_is_taken() {
        let model = ModelKey::new("a-b", "0123456789abcdef", 384).unwrap();
        for gone in [vec![], vec!["c-0123456789abcdef".to_owned()]] {
            for next in [None, Some(ModelKey::new("d", "0123456789abcdef", 8).unwrap())] {
                let active = Active { model: model.clone(), next, gone: gone.clone() };
                assert_eq!(Active::parse(&active.text()), Some(active));
            }
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
            "a-b-0123456789abcdef 384\nnext ../x 8\n",
            "a-b-0123456789abcdef 384\nnext c-0123456789abcdef\n",
            "a-b-0123456789abcdef 384\nnext c-0123456789abcdef 8\nnext d-0123456789abcdef 8\n",
        ] {
            assert_eq!(Active::parse(text), None, "{text:?}");
        }
    }
}
