//! Tests that all commands in the help, the banner of `up`, the README and `docs/` work as printed, in a shell beside
//! running processes. Every command is run, or is listed in `NOT_HERE` with the reason.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a helper of tests fails the test that calls it")]

#[path = "../common/mod.rs"]
mod common;
mod documents;
mod own;

use std::fs;

use common::{Sandbox, Up, said};
use documents::{Block, tells};
use own::Own;

/// Prefixes of commands that cannot succeed here, with the reasons.
const NOT_HERE: [(&str, &str); 19] = [
    ("./", "builds or tests everything; this is one of the tests"),
    ("kimberly up", "ends with Ctrl-C; it runs beside this"),
    ("kimberly watch", "ends with Ctrl-C"),
    ("kimberly --server https://memory.example.com", "needs a server under that name; tests/tls.rs has one"),
    ("kimberly migrate", "needs Postgres; tests/tests/moving has one"),
    ("kimberly postgres", "needs Citus; tests/postgres/citus starts one"),
    ("kimberly vaults register", "needs stopped processes; tests/tests/damage has them"),
    ("kimberly --user USER backup restore", "needs a damaged vault; tests/tests/damage has one"),
    ("kimberly export --archive mine.age", "needs a recipient's key; tests/age.rs makes one"),
    ("kimberly import mine.age", "needs a recipient's key; tests/age.rs makes one"),
    ("age-keygen", "another program"),
    ("kimberly model", "needs the network; tests/model.rs has a hub"),
    ("KIMBERLY_EMBEDDER__MODEL=", "needs the model"),
    ("kimberly embed", "needs the model"),
    ("kimberly recall \"which pets", "needs the model"),
    ("python3 -m venv", "tests/run makes one"),
    ("pip install", "tests/run generates the stubs the same way; tests/deploy installs the packages"),
    ("docker", "needs a daemon; tests/deploy runs the image without one"),
    ("npm ci", "tests/run generates the stubs the same way"),
];

fn is_not_here(command: &str) -> bool {
    NOT_HERE.iter().any(|(begin, _)| command.starts_with(begin))
}

fn up(sandbox: &Sandbox) -> Up {
    let mut up = Up::start(sandbox.command(&["up"]));
    up.until("Kimberly is ready");
    up
}

/// The parts of a text enclosed between two marks.
fn between(text: &str, mark: char) -> impl Iterator<Item = &str> {
    text.split(mark).skip(1).step_by(2)
}

/// Runs a line in a shell, which must succeed, and returns its output.
#[track_caller]
fn typed(sandbox: &Sandbox, line: &str) -> String {
    let done = sandbox.shell(line, "ana\n");
    assert!(done.status.success(), "`{line}` ended with {}: {}", done.status, said(&done));
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn examples_of_the_first_help_of_the_banner_and_of_the_documents_work_as_printed() {
    let sandbox = Sandbox::new();
    let mut up = up(&sandbox);
    let told = up.until("doctor");
    assert!(told.contains("doctor"));
    let blocks = documents::blocks();
    of_first_help(&sandbox);
    of_banner(&sandbox, &up.seen);
    let mut commands = of_documents(&mut Own::new(&sandbox), &blocks);
    commands.extend(of_every_help(&sandbox));
    for (begin, _) in NOT_HERE {
        assert!(commands.iter().any(|command| command.starts_with(begin)), "nothing has {begin:?} any more");
    }
    up.signal("INT");
    assert_eq!(up.ended(), Some(0), "{}", up.seen.join("\n"));
}

#[test]
fn examples_of_the_help_work_beside_six_thousand_long_memories() {
    let sandbox = Sandbox::new();
    let mut up = up(&sandbox);
    let lines: Vec<String> = (0..6_000).map(|number| format!("{{\"content\": \"{}\"}}", long(number))).collect();
    fs::write(sandbox.folder.path().join("long.jsonl"), lines.join("\n")).unwrap();
    sandbox.ok(&["settings", "set", "long_term_quota=4MiB"]);
    sandbox.ok(&["import", "long.jsonl"]);
    let mut own = Own::new(&sandbox);
    for command in of_every_help(&sandbox) {
        own.type_in(&command);
    }
    let metrics = sandbox.json(&["metrics"]);
    let size = &metrics["user"]["sqliteIndexBytes"];
    assert!(size.as_str().is_some_and(|bytes| bytes.parse::<u64>().unwrap() > 1 << 19), "{metrics}");
    up.signal("INT");
    assert_eq!(up.ended(), Some(0), "{}", up.seen.join("\n"));
}

/// A text of 500 to 600 bytes, of words that few others have, so that tables and indices take hundreds of pages.
fn long(number: u64) -> String {
    const SYLLABLES: [&str; 16] =
        ["ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu", "va"];
    let mut state = number;
    let mut syllable = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        SYLLABLES[(state >> 60) as usize]
    };
    let mut text = format!("Note {number}:");
    for _ in 0..70 {
        text.push(' ');
        text.extend([syllable(), syllable(), syllable()]);
    }
    text
}

#[test]
fn an_answer_is_matched_by_its_words_in_their_order() {
    assert!(tells("one … three", "one\n  two   three") && tells("", "anything"));
    assert!(!tells("three … one", "one\n  two   three") && !tells("four", "one two"));
}

#[test]
fn configurations_that_the_documents_print_are_taken() {
    documents::check_configurations(&documents::blocks());
}

fn of_first_help(sandbox: &Sandbox) {
    for text in [sandbox.ok(&["--help"]), sandbox.ok(&[])] {
        let user = if text.contains("Exit codes") { "help" } else { "first" };
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let quoted = between(&flat, '`').map(str::to_owned);
        let listed = text.lines().map(|line| line.trim().split("   ").next().unwrap_or_default().to_owned());
        let examples = quoted.chain(listed).filter(|line| line.starts_with("kimberly ") && line.contains('"'));
        let examples: Vec<String> = examples.filter(|line| line.ends_with('"')).collect();
        let [remember, recall] = &examples[..] else { panic!("other examples than these two: {examples:?}") };
        typed(sandbox, &format!("{remember} --user {user}"));
        let content = between(remember, '"').next().unwrap();
        let found = typed(sandbox, &format!("{recall} --user {user}"));
        assert!(found.contains(content), "`{recall}` does not find {content:?}: {found}");
    }
}

/// As in a second terminal: without the first one's environment, except the account's data.
fn of_banner(sandbox: &Sandbox, seen: &[String]) {
    let lines: Vec<&str> = seen.iter().filter_map(|line| Some(line.split_once(" |")?.1.trim())).collect();
    let export = lines.iter().find(|line| line.starts_with("export KIMBERLY_SERVER=")).unwrap();
    for example in ["remember \"", "recall \"", "doctor"] {
        let line = lines.iter().find(|line| line.contains(&format!("kimberly {example}"))).unwrap();
        let script =
            format!("unset KIMBERLY_API__LISTEN KIMBERLY_WORKER__LISTEN KIMBERLY_EMBEDDER__LISTEN; {export}; {line}");
        let printed = typed(sandbox, &script);
        assert!(example != "recall \"" || printed.contains("without sugar"), "{printed}");
    }
}

/// The examples of every command that `kimberly --help` lists.
fn of_every_help(sandbox: &Sandbox) -> Vec<String> {
    let help = sandbox.ok(&["--help"]);
    let groups = help.split("\nOptions:").next().unwrap();
    let names = groups.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names: Vec<&str> = names.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() > 30 && names.contains(&"up"), "the commands are not found: {names:?}");
    let mut commands = Vec::new();
    for name in names {
        let help = sandbox.ok(&[name, "--help"]);
        let shown = help.split("\nExamples:\n").nth(1).unwrap_or_else(|| panic!("no example of {name}: {help}"));
        commands.extend(shown.lines().map_while(|line| line.strip_prefix("  ")).map(str::to_owned));
    }
    commands
}

fn of_documents(own: &mut Own<'_>, blocks: &[Block]) -> Vec<String> {
    let mut commands = Vec::new();
    for block in blocks {
        match block.language.as_str() {
            "sh" => {
                for (command, answer) in block.commands() {
                    let printed = own.type_in(&command);
                    assert!(tells(&answer, &printed), "`{command}` prints another answer than {answer:?}: {printed}");
                    commands.push(command);
                }
            }
            "bash" => own.run_script(block),
            _ => {}
        }
    }
    assert!(commands.len() > 100, "the blocks of the documents are not found: {commands:?}");
    commands
}
