//! Prints the processes' lines, prefixed with their names.

use std::io::Write as _;

use owo_colors::OwoColorize as _;

/// The output. Cheap to clone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Printer {
    colour: bool,
}

impl Printer {
    pub(super) const fn new(colour: bool) -> Self {
        Self { colour }
    }

    /// Prints a line of a process.
    pub(super) fn line(self, name: &str, line: &str) {
        write(&format!("{} {line}", self.prefix(name)));
    }

    /// Prints a message of `up` itself.
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

/// Write errors are ignored: a closed output is no reason to stop the processes.
fn write(line: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}
