//! Progress bars on stderr, for people only.

use std::fmt::Write;
use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressState, ProgressStyle};

/// A bar for this many memories.
pub(crate) fn bar(total: u64) -> ProgressBar {
    with_template(ProgressBar::new(total), "{bar:40} {human_pos}/{human_len} memories, {speed}, {eta} left")
}

/// A count of memories with an unknown total.
pub(crate) fn count() -> ProgressBar {
    with_template(ProgressBar::new_spinner(), "{spinner} {human_pos} memories, {speed}")
}

/// A bar for a file of this many bytes.
pub(crate) fn bytes(total: u64, name: &str) -> ProgressBar {
    let bar = ProgressBar::new(total).with_message(name.to_owned());
    with_template(bar, "{bar:40} {bytes}/{total_bytes} {msg}, {bytes_per_sec}, {eta} left")
}

/// A bar for this many texts.
pub(crate) fn texts(total: u64) -> ProgressBar {
    with_template(ProgressBar::new(total), "{bar:40} {human_pos}/{human_len} texts, {speed}, {eta} left")
}

/// A bar for this many users.
pub(crate) fn users(total: u64, what: &'static str) -> ProgressBar {
    let bar = ProgressBar::new(total).with_message(what);
    with_template(bar, "{bar:40} {human_pos}/{human_len} users {msg}, {eta} left")
}

/// A count of vaults with an unknown total.
pub(crate) fn vaults() -> ProgressBar {
    with_template(ProgressBar::new_spinner(), "{spinner} {human_pos} vaults, {speed}")
}

/// Writes the rate per second, rounded.
fn speed(state: &ProgressState, out: &mut dyn Write) {
    let _ = out.write_str(&rounded(state.per_sec()));
}

fn rounded(speed: f64) -> String {
    if speed < 10.0 { format!("{speed:.1}/s") } else { format!("{speed:.0}/s") }
}

fn with_template(bar: ProgressBar, template: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.with_key("speed", speed));
    }
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_are_rounded() {
        assert_eq!((rounded(1_637.599_9), rounded(0.25)), ("1638/s".to_owned(), "0.2/s".to_owned()));
    }
}
