//! Advice on command lines that lack an argument: an example, and what may be wanted instead.

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::examples;

/// What may be wanted instead of a command that lacks an argument.
const INSTEAD: [(&str, &str); 2] = [
    ("kimberly recall", "`kimberly list` shows all memories, the newest first"),
    ("kimberly show", "`kimberly list` shows all memories and their ids"),
];

/// Adds an example of the command to an error about a missing argument.
pub(crate) fn add(error: &mut clap::Error) {
    if error.kind() != ErrorKind::MissingRequiredArgument {
        return;
    }
    let Some(usage) = error.get(ContextKind::Usage).map(ToString::to_string) else { return };
    let is_name = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !word.starts_with('-');
    let words = usage.split_whitespace().skip_while(|word| *word != "kimberly");
    let path = words.take_while(is_name).collect::<Vec<_>>().join(" ");
    let instead = INSTEAD.iter().filter(|(command, _)| *command == path).map(|(_, instead)| (*instead).to_owned());
    let tips: Vec<_> = examples::of(&path).take(1).map(|example| format!("write {example}")).chain(instead).collect();
    if !tips.is_empty() {
        let tips = tips.into_iter().map(StyledStr::from).collect();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    }
}
