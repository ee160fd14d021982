//! A person's own words in a message: coding assistants put notes of their own before and behind them, in elements such
//! as `<system-reminder>…</system-reminder>`.

/// Names of elements that programs write, and beginnings of names.
const ELEMENTS: [&str; 6] =
    ["system-reminder", "task-notification", "user-prompt-submit-hook", "command-", "local-command-", "bash-"];
/// The beginning of the names of what an editor shows, such as `ide_opened_file` and `ide_selection`.
const OF_EDITOR: &str = "ide_";
/// The beginning of a note that is no element.
const INTERRUPTED: &str = "[Request interrupted";

/// Returns the text without the program's notes at its start and end. Empty if nothing else is left.
pub(super) fn persons_words(text: &str) -> &str {
    let mut words = text.trim();
    while let Some(rest) = without_first(words).or_else(|| without_last(words)) {
        words = rest.trim();
    }
    words
}

fn without_first(text: &str) -> Option<&str> {
    if text.starts_with(INTERRUPTED) {
        return Some("");
    }
    let (name, rest) = text.strip_prefix('<')?.split_once('>').filter(|(name, _)| is_of_program(name))?;
    // What is never closed is the program's to its end.
    Some(rest.split_once(&format!("</{name}>")).map_or("", |(_, rest)| rest))
}

fn without_last(text: &str) -> Option<&str> {
    let (before, name) = text.strip_suffix('>')?.rsplit_once("</").filter(|(_, name)| is_of_program(name))?;
    before.rsplit_once(&format!("<{name}>")).map(|(rest, _)| rest)
}

fn is_of_program(name: &str) -> bool {
    let known = |known: &&str| if known.ends_with('-') { name.starts_with(*known) } else { name == *known };
    let is_name = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    is_name(name) && (name.starts_with(OF_EDITOR) || ELEMENTS.iter().any(known))
}

#[cfg(test)]
mod tests {
    use super::persons_words;

    #[test]
    fn words_remain_and_notes_of_the_program_go() {
        for (text, words) in [
            ("I moved to Ghent", "I moved to Ghent"),
            ("<system-reminder>\nBe brief.\n</system-reminder>\n\nI moved to Ghent\n", "I moved to Ghent"),
            ("<system-reminder>a</system-reminder><ide_opened_file>b</ide_opened_file> c", "c"),
            ("c\n<system-reminder>a</system-reminder>", "c"),
            ("<ide_selection>The user selected <b>x</b></ide_selection>", ""),
            ("<ide_diagnostics>y</ide_diagnostics>\nWhy?", "Why?"),
            ("<command-name>/clear</command-name>\n<command-args></command-args>", ""),
            ("<local-command-stdout>ok</local-command-stdout>", ""),
            ("<bash-input>ls</bash-input>", ""),
            ("<system-reminder>never closed, I think", ""),
            ("[Request interrupted by user]", ""),
            ("<b>bold</b> and <system-reminder>", "<b>bold</b> and <system-reminder>"),
            (
                "What does <system-reminder>x</system-reminder> mean?",
                "What does <system-reminder>x</system-reminder> mean?",
            ),
            ("a < b > c", "a < b > c"),
            ("", ""),
        ] {
            assert_eq!(persons_words(text), words, "{text}");
        }
    }
}
