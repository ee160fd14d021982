//! The results of a benchmark: figures by name for programs, tables for people.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Serialize;

use crate::Result;

/// Figures by dotted name, and their origin.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    #[serde(skip)]
    name: String,
    commit: String,
    machine: String,
    metrics: BTreeMap<String, f64>,
    /// The figures that have an aim, as rows of a table.
    #[serde(skip)]
    judged: Vec<[String; 4]>,
}

impl Report {
    /// An empty report of a benchmark.
    pub(crate) fn new(name: &str) -> Result<Self> {
        let (commit, machine) = (commit(), machine()?);
        Ok(Self { name: name.to_owned(), commit, machine, metrics: BTreeMap::new(), judged: Vec::new() })
    }

    /// Sets a figure; the last value counts.
    pub(crate) fn set(&mut self, name: impl Into<String>, value: f64) {
        self.metrics.insert(name.into(), value);
    }

    /// Adds a figure that has an aim: its name, what was measured, the aim, and whether it is met.
    pub(crate) fn judge(&mut self, row: [String; 4]) {
        self.judged.push(row);
    }

    /// All figures that have an aim, as a table.
    pub(crate) fn judged(&self) -> Table {
        let mut table = Table::new(&["figure", "measured", "aim", ""]);
        self.judged.iter().for_each(|row| table.row(row.clone()));
        table
    }

    /// Writes `target/bench/NAME.json` below the checkout and returns its path.
    pub(crate) fn write(&self) -> Result<PathBuf> {
        let folder = checkout().join("target/bench");
        std::fs::create_dir_all(&folder)?;
        let path = folder.join(format!("{}.json", self.name));
        std::fs::write(&path, format!("{}\n", serde_json::to_string_pretty(self)?))?;
        Ok(path)
    }
}

/// The checkout that this program was built from.
pub(crate) fn checkout() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap_or(Path::new(".")).to_owned()
}

/// The commit, with a `+` if the checkout has changes; "unknown" outside a repository.
fn commit() -> String {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").arg("-C").arg(checkout()).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|files| !files.is_empty());
    git(&["rev-parse", "HEAD"])
        .map_or_else(|| "unknown".to_owned(), |commit| if changed { format!("{commit}+") } else { commit })
}

/// Processor, number of cores and memory, to interpret figures of other machines.
fn machine() -> Result<String> {
    let field = |path: &str, key: &str| -> Option<String> {
        let text = std::fs::read_to_string(path).ok()?;
        let line = text.lines().find(|line| line.starts_with(key))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let cores = std::thread::available_parallelism()?;
    let processor = field("/proc/cpuinfo", "model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let memory = field("/proc/meminfo", "MemTotal").unwrap_or_default();
    Ok(format!("{processor}, {cores} cores, {memory}"))
}

/// Prints a line or a table.
#[expect(clippy::print_stdout, reason = "a benchmark prints what it found")]
pub(crate) fn say(text: &str) {
    println!("{text}");
}

/// A table: the first column is left-aligned, the others right-aligned.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with a heading for each column.
    pub(crate) fn new(headings: &[&str]) -> Self {
        Self { rows: vec![headings.iter().map(|heading| (*heading).to_owned()).collect()] }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The table as text.
    pub(crate) fn text(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
                if column == 0 { format!("{cell:width$}") } else { format!("{cell:>width$}") }
            });
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        self.rows.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_line_up() {
        let mut table = Table::new(&["name", "R@5"]);
        table.row(["all".to_owned(), ".7".to_owned()]);
        assert_eq!(table.text(), "name  R@5\nall    .7");
    }

    #[test]
    fn reports_hold_commit_machine_and_figures() {
        let mut report = Report::new("some").unwrap();
        report.set("a.b", 1.0);
        report.set("a.b", 2.5);
        let json = serde_json::to_value(&report).unwrap();
        assert_eq!(json["metrics"]["a.b"], 2.5);
        assert!(json["commit"].is_string() && json["machine"].is_string());
    }
}
