//! What the help, the banner of `up` and the README print works as printed, typed into a shell beside running processes. Of the
//! README every command is typed, or stands in `NOT_HERE` with the reason why it is not.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a helper of tests fails the test that calls it")]

mod common;

use std::fs;

use common::{Place, Up, said};
use serde_json::Value;

/// Beginnings of commands that cannot end well here, and why.
const NOT_HERE: [(&str, &str); 8] = [
    ("./", "builds or tests everything; this is one of the tests"),
    ("kimberly watch", "ends with Ctrl-C"),
    ("kimberly --server https://memory.example.com", "needs a server under that name; tests/tls.rs has one"),
    ("kimberly export --archive mine.age", "needs a recipient's key; tests/age.rs makes one"),
    ("kimberly model", "needs the network; tests/model.rs has a hub"),
    ("KIMBERLY_EMBEDDER__MODEL=", "needs the model"),
    ("kimberly embed", "needs the model"),
    ("kimberly recall \"which pets", "needs the model"),
];

fn up(place: &Place) -> Up {
    let mut up = Up::start(place.command(&["up"]));
    up.until("Kimberly is ready");
    up
}

/// The parts of a text that stand between two of a mark.
fn between(text: &str, mark: char) -> impl Iterator<Item = &str> {
    text.split(mark).skip(1).step_by(2)
}

/// The commands of the README's blocks for a shell, without their comments.
fn readme() -> Vec<String> {
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md")).unwrap();
    let is_command = |line: &&str| ["kimberly ", "KIMBERLY_", "./"].iter().any(|begin| line.starts_with(begin));
    let blocks =
        text.split("\n```").skip(1).step_by(2).filter(|block| block.starts_with("sh\n") || block.starts_with('\n'));
    let lines = blocks.flat_map(str::lines).filter(is_command);
    lines.map(|line| line.split_once("  #").map_or(line, |(command, _)| command).trim().to_owned()).collect()
}

/// What stands for the reader's own in an example.
struct Own {
    memory: String,
    attachment: String,
    consent: String,
    purge: String,
    head: String,
}

impl Own {
    /// The command with what the reader would put in, all that it needs being there.
    fn filled(&mut self, place: &Place, command: &str) -> String {
        let command = command.replace("...", "…");
        if command.contains("mem_…") && place.run(&["show", &self.memory]).status.code() != Some(0) {
            self.memory = id(&place.json(&["remember", "We met in the harbour"]));
        }
        if command.starts_with("kimberly restore") {
            place.ok(&["forget", &self.memory]);
        }
        if command.contains("con_…") {
            self.consent = id(&place.json(&["consent", "list"])["consents"][0]);
        }
        if command.contains("NUMBER:HASH") {
            let verdict = place.json(&["audit", "verify"]);
            self.head = format!("{}:{}", verdict["head"]["number"], verdict["head"]["hash"].as_str().unwrap());
        }
        let own = [
            ("mem_…", &self.memory),
            ("att_…", &self.attachment),
            ("con_…", &self.consent),
            ("purge_…", &self.purge),
            ("NUMBER:HASH", &self.head),
        ];
        own.iter().fold(command, |text, (stands, own)| text.replace(stands, own))
    }

    /// Notes the ids that a command printed.
    fn note(&mut self, printed: &str) {
        let word = |begin: &str| printed.split_whitespace().find(|word| word.starts_with(begin));
        if let Some(attachment) = word("att_") {
            attachment.clone_into(&mut self.attachment);
        }
        if let Some(purge) = word("purge_") {
            purge.trim_end_matches(':').clone_into(&mut self.purge);
        }
    }
}

#[track_caller]
fn id(value: &Value) -> String {
    value["id"].as_str().unwrap_or_else(|| panic!("no id in {value}")).to_owned()
}

/// What a line prints when it is typed into a shell; it must succeed.
#[track_caller]
fn typed(place: &Place, line: &str) -> String {
    let done = place.shell(line, "ana\n");
    assert!(done.status.success(), "`{line}` ended with {}: {}", done.status, said(&done));
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn examples_of_the_help_of_the_banner_and_of_the_readme_work_as_printed() {
    let place = Place::new();
    let mut up = up(&place);
    let told = up.until("doctor");
    assert!(told.contains("doctor"));
    of_help(&place);
    of_banner(&place, &up.seen);
    of_readme(&place);
    of_json(&place);
    up.signal("INT");
    assert_eq!(up.ended(), Some(0), "{}", up.seen.join("\n"));
}

fn of_help(place: &Place) {
    for text in [place.ok(&["--help"]), place.ok(&[])] {
        let user = if text.contains("Exit codes") { "help" } else { "first" };
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let quoted = between(&flat, '`').map(str::to_owned);
        let listed = text.lines().map(|line| line.trim().split("   ").next().unwrap_or_default().to_owned());
        let examples = quoted.chain(listed).filter(|line| line.starts_with("kimberly ") && line.contains('"'));
        let examples: Vec<String> = examples.filter(|line| line.ends_with('"')).collect();
        let [remember, recall] = &examples[..] else { panic!("other examples than these two: {examples:?}") };
        typed(place, &format!("{remember} --user {user}"));
        let content = between(remember, '"').next().unwrap();
        let found = typed(place, &format!("{recall} --user {user}"));
        assert!(found.contains(content), "`{recall}` does not find {content:?}: {found}");
    }
}

/// In a second terminal: nothing of the environment of the first but the data of the account.
fn of_banner(place: &Place, seen: &[String]) {
    let lines: Vec<&str> = seen.iter().filter_map(|line| Some(line.split_once(" |")?.1.trim())).collect();
    let export = lines.iter().find(|line| line.starts_with("export KIMBERLY_SERVER=")).unwrap();
    for example in ["remember \"", "recall \"", "doctor"] {
        let line = lines.iter().find(|line| line.contains(&format!("kimberly {example}"))).unwrap();
        let script =
            format!("unset KIMBERLY_API__LISTEN KIMBERLY_WORKER__LISTEN KIMBERLY_EMBEDDER__LISTEN; {export}; {line}");
        let printed = typed(place, &script);
        assert!(example != "recall \"" || printed.contains("without sugar"), "{printed}");
    }
}

fn of_readme(place: &Place) {
    let file = |name: &str, text: &str| fs::write(place.folder.path().join(name), text).unwrap();
    file("menu.pdf", "scones");
    file("conversations.json", "{\"kind\":\"memory\",\"content\":\"tea\"}\n");
    let none = String::new;
    let mut own = Own { memory: none(), attachment: none(), consent: none(), purge: none(), head: none() };
    let commands = readme();
    assert!(commands.len() > 30, "the README's blocks are not found: {commands:?}");
    for command in &commands {
        if NOT_HERE.iter().any(|(begin, _)| command.starts_with(begin)) {
            continue;
        }
        let line = own.filled(place, command);
        own.note(&typed(place, &line));
    }
    for (begin, _) in NOT_HERE {
        assert!(commands.iter().any(|command| command.starts_with(begin)), "the README has no {begin:?} any more");
    }
}

/// The block for any language that speaks HTTP.
fn of_json(place: &Place) {
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md")).unwrap();
    let block = text.split("\n```").find(|block| block.starts_with("bash\nalias json")).unwrap();
    let block = block.trim_start_matches("bash");
    let api = format!("127.0.0.1:{}", place.ports[0]);
    let block =
        block.replace("127.0.0.1:7420", &api).replace("curl ", "curl --fail ").replace(" '127", " --globoff '127");
    fs::write(place.folder.path().join("json.sh"), format!("set -e\nshopt -s expand_aliases\n{block}")).unwrap();
    let printed = typed(place, "bash json.sh");
    // By recall, which says contents beside its memories, too, and by list.
    assert_eq!(printed.matches("The train to Lisbon leaves on Friday at 9:40.").count(), 3, "{printed}");
}
