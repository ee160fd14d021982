//! Prints the processes' lines with their names before them.

use std::io::Write as _;

use owo_colors::OwoColorize as _;

/// Where lines go. Cloning is cheap.
#[derive(Clone, Copy, Debug)]
pub(super) struct Printer {
    colour: bool,
}

impl Printer {
    pub(super) const fn new(colour: bool) -> Self {
        Self { colour }
    }

    /// A line of a process.
    pub(super) fn line(self, name: &str, line: &str) {
        write(&format!("{} {line}", self.prefix(name)));
    }

    /// A word of our own.
    pub(super) fn say(self, text: &str) {
        let prefix = self.prefix("up");
        text.lines().for_each(|line| write(&format!("{prefix} {line}")));
    }

    fn prefix(self, name: &str) -> String {
        let padded = format!("{name:<8} |");
        match name {
            _ if !self.colour => padded,
            "api" => padded.cyan().to_string(),
            "worker" => padded.magenta().to_string(),
            "embedder" => padded.blue().to_string(),
            _ => padded.green().to_string(),
        }
    }
}

/// A reader that has gone is no reason to stop what runs.
fn write(line: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}
