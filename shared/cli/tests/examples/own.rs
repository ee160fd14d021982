//! Replaces placeholders in examples, such as `mem_…`, with real values.

use std::fs;

use serde_json::Value;

use crate::common::Sandbox;
use crate::documents::Block;
use crate::{is_not_here, typed};

/// Prefixes of commands that need a record of a kind, with the kind and its detail.
const OF_A_KIND: [(&str, &str, &str); 6] = [
    ("kimberly promote", "raw", ""),
    ("kimberly correct", "decision", "{\"choice\": \"the harbour\"}"),
    ("kimberly revise", "belief", ""),
    ("kimberly invalidate", "fact", ""),
    ("kimberly playbook used", "playbook", "{\"steps\": [\"look at the tide\"]}"),
    ("kimberly met", "relationship", "{\"entity\": \"the harbour master\", \"trust\": 0.5}"),
];

/// Values for placeholders: ids that commands printed, and the paths of backups.
pub(crate) struct Own<'a> {
    sandbox: &'a Sandbox,
    memory: String,
    attachment: String,
    purge: String,
}

impl<'a> Own<'a> {
    /// Creates the files that examples name.
    pub(crate) fn new(sandbox: &'a Sandbox) -> Self {
        let file = |name: &str, text: &str| fs::write(sandbox.folder.path().join(name), text).unwrap();
        file("menu.pdf", "scones");
        file("friday-chat.json", "[{\"role\": \"user\", \"content\": \"We met in the harbour\"}]");
        file("conversations.json", "{\"content\":\"tea\"}\n");
        file("handbook.md", "# Handbook\n\nStaff have 25 days of annual leave.\n");
        file("page.html", "<title>Ferries</title><p>The ferry leaves at nine.</p>");
        fs::create_dir(sandbox.folder.path().join("notes")).unwrap();
        file("notes/packing.md", "# Packing\n\nTwo bags.\n");
        fs::create_dir(sandbox.folder.path().join("backups")).unwrap();
        Self { sandbox, memory: String::new(), attachment: String::new(), purge: String::new() }
    }

    /// Runs a command, unless it cannot succeed here; returns its output.
    pub(crate) fn type_in(&mut self, command: &str) -> String {
        if is_not_here(command) {
            return String::new();
        }
        let filled = self.filled(command);
        let line = self.asking_here(&filled);
        let printed = typed(self.sandbox, &line);
        self.note(&printed);
        printed
    }

    /// Runs a block as a script.
    pub(crate) fn run_script(&self, block: &Block) {
        let text = self.asking_here(&block.text).replace(" '127", " --globoff '127");
        fs::write(self.sandbox.folder.path().join("block.sh"), format!("set -e\nshopt -s expand_aliases\n{text}"))
            .unwrap();
        typed(self.sandbox, "bash block.sh");
    }

    /// Redirects requests from the default port to the test's server, and lets `curl` fail if it refuses.
    fn asking_here(&self, text: &str) -> String {
        let api = format!("127.0.0.1:{}", self.sandbox.ports[0]);
        text.replace("127.0.0.1:7420", &api).replace("curl ", "curl --fail ")
    }

    /// Fills the placeholders of a command, after creating what it needs.
    fn filled(&mut self, command: &str) -> String {
        let command = command.replace("...", "…");
        self.prepare(&command);
        let folder = self.sandbox.folder.path().display().to_string();
        let mut own = vec![
            ("mem_…", self.memory.clone()),
            ("mem_OTHER", self.other(&command)),
            ("att_…", self.attachment.clone()),
            ("purge_…", self.purge.clone()),
            ("/backups/", format!("{folder}/backups/")),
            // The restored folder must be empty.
            ("kimberly backup restore", "KIMBERLY_DATA_DIR=restored-$$ kimberly backup restore".to_owned()),
        ];
        if command.contains("con_…") {
            own.push(("con_…", id(&self.sandbox.json(&["consent", "list"])["consents"][0])));
        }
        if command.contains("med_…") {
            own.push(("med_…", id(&self.sandbox.json(&["meditations"])["meditations"][0])));
        }
        if command.contains("ent_…") {
            let shown = self.sandbox.json(&["entities", "show", "Bob Stone"]);
            // Once merged, this is one of several names.
            let mut names = shown["names"].as_array().unwrap().iter();
            own.push(("ent_…", id(names.find(|name| name["text"] == "Bob Stone").unwrap())));
        }
        if command.contains("duplicate_…") {
            for _ in 0..2 {
                self.sandbox.ok(&["remember", "The ferry leaves from pier seven", "--new"]);
            }
            own.push(("duplicate_…", id(&self.sandbox.json(&["review", "--kind", "duplicate"])["reviews"][0])));
        }
        if command.contains("goal_…") {
            own.push(("goal_…", id(&self.sandbox.json(&["goals", "add", "see the sea"])["goal"])));
        }
        if command.contains("NUMBER:HASH") {
            let head = &self.sandbox.json(&["audit", "verify"])["head"];
            own.push((
                "NUMBER:HASH",
                format!("{}:{}", head["number"].as_str().unwrap(), head["hash"].as_str().unwrap()),
            ));
        }
        own.iter().fold(command, |text, (stands, own)| text.replace(stands, own))
    }

    /// Another memory than the examples' one, if the command needs it.
    fn other(&self, command: &str) -> String {
        if !command.contains("mem_OTHER") {
            return String::new();
        }
        let other = id(&self.sandbox.json(&["remember", "The harbour is on the north side"])["receipt"]);
        if command.starts_with("kimberly resolve") {
            self.sandbox.ok(&["link", &self.memory, "contradicts", &other]);
        }
        other
    }

    /// Stores what the command needs.
    fn prepare(&mut self, command: &str) {
        if command.starts_with("kimberly file") && command.contains("notes/") {
            self.prepare_notes();
        }
        let about_entities = ["kimberly entities ", "kimberly graph "].iter().any(|begin| command.starts_with(begin));
        if about_entities && !self.sandbox.ok(&["entities", "--search", "Bob Stone"]).contains("Bob Stone") {
            self.sandbox.ok(&["remember", "Ana met Bob Stone in Lisbon.", "--speaker", "Ana"]);
            self.sandbox.ok(&["meditate", "--watch"]);
        }
        for (begin, kind, detail) in OF_A_KIND {
            if command.starts_with(begin) {
                let stored = ["remember", "We met in the harbour", "--kind", kind, "--detail-json", detail];
                let stored = if detail.is_empty() { &stored[..4] } else { &stored[..] };
                self.memory = id(&self.sandbox.json(stored)["receipt"]);
            }
        }
        let restores = ["kimberly restore", "kimberly forget recover"].iter().any(|begin| command.starts_with(begin));
        if command.contains("mem_…") && (restores || !self.is_active()) {
            self.memory = id(&self.sandbox.json(&["remember", "We met in the harbour"])["receipt"]);
        }
        if command.starts_with("kimberly passages") {
            let documents = self.sandbox.json(&["import", "handbook.md"]);
            self.memory = id(&documents["documents"][0]["document"]["receipt"]);
        }
        if restores {
            self.sandbox.ok(&["forget", &self.memory]);
        }
        if command.contains("att_…") && !self.sandbox.ok(&["attachments", "list", "--wide"]).contains(&self.attachment)
        {
            let memory = id(&self.sandbox.json(&["remember", "We ate in the harbour"])["receipt"]);
            self.note(&self.sandbox.ok(&["attach", "menu.pdf", "--memory", &memory]));
        }
        if format!("{command} ").contains("--user ana ") {
            self.sandbox.ok(&["remember", "We met in the harbour", "--user", "ana"]);
        }
    }

    /// Ensures that `notes/travel.md` exists and that `notes/trips.md` does not, so that renaming works.
    fn prepare_notes(&self) {
        let named = |name: &str| {
            let shown = self.sandbox.run(&["file", "show", name, "--json"]);
            serde_json::from_slice::<Value>(&shown.stdout).ok().map(|shown| id(&shown["memory"]))
        };
        let (trips, travel) = (named("notes/trips.md"), named("notes/travel.md"));
        let done = match (&trips, &travel) {
            (Some(trips), Some(_)) => vec!["forget", trips.as_str()],
            (Some(_), None) => vec!["file", "rename", "notes/trips.md", "notes/travel.md"],
            (None, Some(_)) => return,
            (None, None) => vec!["remember", "The ferry leaves at nine.", "--name", "notes/travel.md"],
        };
        self.sandbox.ok(&done);
    }

    /// Whether the examples' memory still exists and is not forgotten.
    fn is_active(&self) -> bool {
        let shown = self.sandbox.run(&["show", &self.memory, "--json"]);
        serde_json::from_slice::<Value>(&shown.stdout)
            .is_ok_and(|shown| shown["memory"]["state"] == "MEMORY_STATE_ACTIVE")
    }

    /// Remembers the ids that a command printed.
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
