//! Tests that every table fits a real terminal, and that its text gets most of the width.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a helper of tests fails the test that calls it")]

mod common;

use std::fs;

use common::{Sandbox, Up};
use serde_json::{Value, json};

/// Columns of the terminals, and the least that the texts take in each.
const WIDTHS: [(usize, usize); 4] = [(60, 35), (80, 45), (100, 45), (200, 75)];
/// One-letter words, which fill the lines of a text.
const FULL: usize = 45;
/// Commands whose tables contain such texts, and others with tables. Upper-case words stand for ids.
const TEXTS: &str = "list, recall Lisbon, recall Lisbon --explain, review, uncertain, playbook find slow, contradictions, goals list, \
                     core list, consent list, links DOUBT, lineage DOUBT, related MET, file versions notes/lisbon.md, \
                     recall Lisbon --kind belief";
const OTHERS: &str = "audit list, file list, settings, metrics, metrics --system, keys list, entities, entities show Lisbon, \
                      graph Lisbon, meditations, meditations show RUN, attachments list, purge list, show MET, history DOUBT, \
                      context Lisbon --explain, meditate --dry-run --full, insights, forget candidates --threshold 1";

#[track_caller]
fn id(value: &Value) -> String {
    value["id"].as_str().unwrap_or_else(|| panic!("no id in {value}")).to_owned()
}

/// A text of so many characters at least, which begins with these words.
fn long(words: &str) -> String {
    format!("{words} {}", "o ".repeat(FULL)).trim_end().to_owned()
}

/// Stores something for every table, and returns the ids for which the words in the commands stand.
fn stored(sandbox: &Sandbox) -> [(&'static str, String); 3] {
    let remember =
        |words: &str, more: &[&str]| id(&sandbox.json(&[&["remember", &long(words)], more].concat())["receipt"]);
    let met = remember("Ana Silva met Bo Holm in Lisbon", &["--speaker", "Ana Silva", "--tag", "travel", "--protect"]);
    let doubt = remember("Ana Silva may move to Lisbon", &["--confidence", "0.3", "--tag", "travel"]);
    let other = remember("Bo Holm stays in Lisbon", &["--kind", "belief", "--name", "notes/lisbon.md"]);
    let steps = json!({"triggers": ["slow"], "steps": [long("look at the log")]}).to_string();
    remember("when the server is slow", &["--kind", "playbook", "--detail-json", &steps]);
    sandbox.ok(&["link", &doubt, "contradicts", &other]);
    sandbox.ok(&["link", &doubt, "derived_from", &met, "--evidence", &long("Ana said so")]);
    sandbox.ok(&["file", "append", "notes/lisbon.md", "more", "--reason", &long("she wrote again")]);
    sandbox.ok(&["goals", "add", &long("move to Lisbon"), "--tag", "travel"]);
    sandbox.ok(&["core", "add", "persona", &long("You are calm"), "--description", &long("who you are")]);
    sandbox.ok(&["consent", "grant", &long("to write about health"), "--tag", "health"]);
    sandbox.ok(&["keys", "create", "bot", "--for", "cn=ana,ou=people", "--can", "read,write,delete,export"]);
    fs::write(sandbox.folder.path().join("the menu of friday.txt"), "soup").unwrap();
    sandbox.ok(&["attach", "the menu of friday.txt", "--memory", &met]);
    sandbox.ok(&["remember", "soon gone", "--user", "gus"]);
    sandbox.ok(&["purge", "--yes", "--user", "gus"]);
    sandbox.ok(&["meditate", "--full", "--watch"]);
    let run = id(&sandbox.json(&["meditations"])["meditations"][0]);
    [("MET", met), ("DOUBT", doubt), ("RUN", run)]
}

/// Width of the widest line of one-letter words; two spaces separate columns.
fn text_width(shown: &str) -> usize {
    let cells = shown.lines().flat_map(|line| line.split("  ")).filter(|cell| cell.contains("o o"));
    cells.map(|cell| cell.trim().chars().count()).max().unwrap_or_default()
}

/// The tables of an answer: the lines below a header. What surrounds them is wrapped by the terminal.
fn tables(shown: &str) -> impl Iterator<Item = &str> {
    let is_prose =
        |line: &str| line.strip_prefix("  ").is_some_and(|rest| rest.starts_with(|c: char| c.is_alphanumeric()));
    shown.lines().filter(move |line| (line.starts_with(' ') && !is_prose(line)) || line.starts_with('─'))
}

#[test]
fn tables_fit_terminals_and_show_most_of_their_texts() {
    let sandbox = Sandbox::new();
    let mut up = Up::start(sandbox.command(&["up"]));
    up.until("Kimberly is ready");
    let ids = stored(&sandbox);
    let typed = |columns: usize, line: &str| {
        let line = ids.iter().fold(line.to_owned(), |line, (word, id)| line.replace(word, id));
        let shown = sandbox.in_terminal(columns, &[], &line.split(' ').collect::<Vec<_>>());
        let widest = tables(&shown).map(|line| line.chars().count()).max().unwrap_or_default();
        assert!(widest <= columns, "{line} needs {widest} of {columns} columns:\n{shown}");
        shown
    };
    for (columns, least) in WIDTHS {
        for line in TEXTS.split(", ") {
            let shown = typed(columns, line);
            assert!(text_width(&shown) >= least, "{line} in {columns} columns:\n{shown}");
        }
        for line in OTHERS.split(", ") {
            typed(columns, line);
        }
    }
    let widest = |shown: &str| shown.lines().map(|line| line.chars().count()).max().unwrap_or_default();
    let asked = sandbox.in_terminal(80, &[("COLUMNS", "100")], &["list"]);
    assert!((81..=100).contains(&widest(&asked)), "COLUMNS counts more than the terminal:\n{asked}");
    let piped = widest(&sandbox.ok(&["list"]));
    assert!((101..=120).contains(&piped), "{piped} columns in a pipe");
    up.signal("INT");
    assert_eq!(up.ended(), Some(0), "{}", up.seen.join("\n"));
}

#[test]
fn help_is_wrapped_to_the_terminal() {
    let sandbox = Sandbox::new();
    for command in ["", "recall", "remember", "edit", "import", "meditate", "keys create", "backup restore"] {
        let args: Vec<&str> = command.split_whitespace().chain(["--help"]).collect();
        let shown = sandbox.in_terminal(80, &[("NO_COLOR", "1")], &args);
        let is_example = |line: &str| line.trim_start().starts_with("kimberly ");
        let wide = shown.lines().find(|line| line.chars().count() > 80 && !is_example(line));
        assert_eq!(wide, None, "`kimberly {command} --help`:\n{shown}");
    }
}
