//! The commands by group, each with an example in its help, above its options; a test runs them all with ids for `mem_…`.

use clap::Command;

/// Examples by group and command, in the order of the help.
const EXAMPLES: &[(&str, &[&str])] = &[
    (
        "Every day",
        &[
            "kimberly up",
            "kimberly remember \"Ana drinks her tea without sugar\" --speaker Ana --tag food",
            "kimberly remember \"The door code is 4711\" --tier short_term --session trip",
            "kimberly remember \"We release on Fridays\" --kind decision --detail-json '{\"choice\": \"Fridays\"}' --subject releases",
            "kimberly recall \"How does Ana like her tea?\"",
            "kimberly recall \"tea\" --tag food --top-k 3 --explain",
            "kimberly observe friday-chat.json --session friday",
            "kimberly context \"what shall we cook?\" --session friday --budget 1000",
            "kimberly context --session friday --part wishes,turns --explain",
            "kimberly list",
            "kimberly list --tag food --state archived",
            "kimberly list --kind decision,belief --about releases",
            "kimberly list --stale",
            "kimberly show mem_…",
            "kimberly edit mem_… --tag food --tag tea",
            "kimberly edit mem_… --kind belief --importance 7",
            "kimberly forget mem_…",
            "kimberly forget --now mem_…",
            "kimberly forget candidates --threshold 0.3",
            "kimberly forget run --dry-run",
            "kimberly forget recover mem_…",
            "kimberly forget protect mem_…",
            "kimberly restore mem_… --protect",
            "kimberly watch",
            "kimberly work set scratch:plan \"pack, then leave\" --for 10m --session trip",
            "kimberly work get scratch:plan --session trip",
            "kimberly work incr visits",
            "kimberly work append notes \"one more\"",
            "kimberly work expire notes 2h",
            "kimberly work keys scratch: --session trip",
            "kimberly work delete notes",
            "kimberly console",
            "kimberly console --for 1h --read-only",
        ],
    ),
    (
        "Retention and scores",
        &[
            "kimberly feedback mem_… up",
            "kimberly outcome mem_… helpful",
            "kimberly compact friday --keep 4",
            "kimberly session end trip",
            "kimberly goals add \"move to Lisbon\" --tag travel",
            "kimberly goals list",
            "kimberly goals done goal_…",
            "kimberly goals remove goal_…",
            "kimberly meditate --dry-run",
            "kimberly meditate --watch",
            "kimberly meditate --review",
            "kimberly meditations",
            "kimberly meditations list",
            "kimberly meditations show med_…",
            "kimberly meditations watch med_…",
            "kimberly settings show",
            "kimberly settings set long_term_quota=4MiB grace=60d",
            "kimberly settings reset grace",
            "kimberly metrics",
            "kimberly embed",
            "kimberly embed status",
        ],
    ),
    (
        "Notes and core memory",
        &[
            "kimberly file list notes/",
            "kimberly file show notes/travel.md",
            "kimberly file replace notes/travel.md nine ten",
            "kimberly file insert notes/travel.md 0 \"# Travel\"",
            "kimberly file append notes/travel.md \"Back on Sunday.\"",
            "kimberly file write notes/travel.md \"The ferry leaves at noon.\"",
            "kimberly file versions notes/travel.md",
            "kimberly file diff notes/travel.md 1",
            "kimberly file redact notes/travel.md 1",
            "kimberly file undo notes/travel.md",
            "kimberly file rename notes/travel.md notes/trips.md",
            "kimberly core add persona \"You are calm and brief.\" --description \"who you are\"",
            "kimberly core set persona \"You are calm, brief and kind.\"",
            "kimberly core set persona --read-only true",
            "kimberly core set persona --read-only false",
            "kimberly core list",
            "kimberly core show",
            "kimberly core remove persona",
            "kimberly memory-tool '{\"command\": \"view\", \"path\": \"/memories\"}'",
        ],
    ),
    (
        "Kinds and confidence",
        &[
            "kimberly raw \"The API seems slow\"",
            "kimberly unprocessed",
            "kimberly promote \"The API is slow at noon\" mem_… --kind episode --reason \"seen twice\"",
            "kimberly identity",
            "kimberly verify mem_…",
            "kimberly uncertain --threshold 0.6",
            "kimberly playbook find \"the API is slow\"",
            "kimberly playbook used mem_…",
            "kimberly playbook used mem_… --failed",
            "kimberly met mem_… --trust 0.9 --sentiment 0.5",
        ],
    ),
    (
        "Corrections, links and entities",
        &[
            "kimberly correct mem_… \"We met in the market\" --reason \"she said so\"",
            "kimberly revise mem_… \"Small releases break less\" --confidence 0.8 --because mem_OTHER",
            "kimberly invalidate mem_… --reason \"she moved\"",
            "kimberly history mem_…",
            "kimberly link mem_… derived_from mem_OTHER --evidence \"Ana said so\"",
            "kimberly unlink mem_… derived_from mem_OTHER",
            "kimberly links mem_…",
            "kimberly lineage mem_…",
            "kimberly review --kind duplicate",
            "kimberly review apply duplicate_… --choice keep_first",
            "kimberly review dismiss duplicate_…",
            "kimberly review undo duplicate_…",
            "kimberly contradictions",
            "kimberly insights --night med_…",
            "kimberly resolve mem_… mem_OTHER --keep from --reason \"Ana said so\"",
            "kimberly entities --type person",
            "kimberly entities show Ana",
            "kimberly entities merge Ana ent_…",
            "kimberly entities split Ana ent_…",
            "kimberly entities rename Ana \"Ana Silva\"",
            "kimberly entities dismiss Lisbon",
            "kimberly graph Ana --depth 2",
            "kimberly related mem_…",
        ],
    ),
    (
        "Files, import and export",
        &[
            "kimberly import conversations.json --dry-run",
            "kimberly import conversations.json",
            "kimberly import handbook.md",
            "kimberly passages mem_… --limit 3",
            "kimberly attach menu.pdf --memory mem_…",
            "kimberly attachments list",
            "kimberly attachments get att_… friday-menu.pdf",
            "kimberly attachments attach att_… mem_…",
            "kimberly attachments detach att_… mem_…",
            "kimberly export friday.jsonl",
            "kimberly export --archive friday.tar",
            "kimberly export --markdown friday --by tag",
        ],
    ),
    (
        "Consent and rights",
        &[
            "kimberly consent grant \"medical history\" --tag health --until 2027-12-31",
            "kimberly consent list --all",
            "kimberly consent retract con_… --seal",
            "kimberly purge --user ana",
            "kimberly purge receipt purge_…",
            "kimberly purge list",
            "kimberly audit list --about mem_…",
            "kimberly audit verify",
            "kimberly audit export friday-audit.jsonl",
            "kimberly audit checkpoint friday.json",
            "kimberly audit public-key",
            "kimberly keys create bot --for 'shop-*' --can read,write --expires 90d --out bot.key",
            "kimberly keys list",
            "kimberly keys rotate bot --out new-bot.key",
            "kimberly keys revoke bot",
        ],
    ),
    (
        "Running it",
        &[
            "kimberly mcp --user ana",
            "kimberly mcp --profile manage",
            "kimberly hooks install --for claude-code",
            "kimberly hooks show",
            "kimberly hooks remove",
            "kimberly hook Stop",
            "kimberly doctor",
            "kimberly health api worker",
            "kimberly alerts",
            "kimberly backup create /backups/friday",
            "kimberly backup check /backups/friday",
            "kimberly backup restore /backups/friday",
            "kimberly users",
            "kimberly vaults",
            "kimberly vaults check --user ana",
            "kimberly vaults register",
            "kimberly rebuild",
            "kimberly rings",
            "kimberly rings rotate master",
            "kimberly rings retire master",
            "kimberly rings copied master",
            "kimberly migrate --from data --to 'postgres://kimberly_app@db.example.com/kimberly?sslmode=verify-full'",
            "kimberly postgres distribute",
            "kimberly model pull sentence-transformers/all-MiniLM-L6-v2",
            "kimberly model check models/all-minilm-l6-v2",
            "kimberly completion bash",
        ],
    ),
];

/// Adds the examples to the help of every command.
pub(crate) fn shown(command: Command) -> Command {
    each_subcommand(command, "kimberly")
}

fn each_subcommand(command: Command, path: &str) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|one| one.get_name().to_owned()).collect();
    names.iter().fold(command, |command, name| {
        let path = format!("{path} {name}");
        command.mut_subcommand(name, |one| with_examples(each_subcommand(one, &path), &path))
    })
}

fn with_examples(command: Command, path: &str) -> Command {
    let text: String = of(path).flat_map(|example| ["  ", example, "\n"]).collect();
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\nExamples:\n{text}\n{{all-args}}{{after-help}}"
    ))
}

fn all() -> impl Iterator<Item = &'static str> {
    EXAMPLES.iter().flat_map(|(_, examples)| examples.iter().copied())
}

/// The groups, each with the names of its commands.
pub(crate) fn groups() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    EXAMPLES.iter().map(|(title, examples)| {
        let mut names: Vec<_> = examples.iter().filter_map(|example| example.split(' ').nth(1)).collect();
        names.dedup();
        (*title, names)
    })
}

/// The examples of a command and its subcommands.
pub(crate) fn of(path: &str) -> impl Iterator<Item = &'static str> {
    all().filter(move |example| example.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;
    use clap::Parser as _;

    use super::*;
    use crate::args::Cli;

    /// Splits a line into words like a shell.
    fn words(line: &str) -> Vec<String> {
        let (mut words, mut quote) = (vec![String::new()], None);
        for c in line.chars() {
            match (quote, c) {
                (Some(open), c) if c == open => quote = None,
                (None, '"' | '\'') => quote = Some(c),
                (None, ' ') => words.push(String::new()),
                _ => words.last_mut().into_iter().for_each(|word| word.push(c)),
            }
        }
        words
    }

    /// The paths of all commands without subcommands.
    fn leaves(command: &Command, path: &str) -> Vec<String> {
        let below: Vec<_> = command.get_subcommands().collect();
        let path = format!("{path}{}", command.get_name());
        if below.is_empty() {
            return vec![path];
        }
        below.into_iter().flat_map(|one| leaves(one, &format!("{path} "))).collect()
    }

    #[test]
    fn every_command_has_an_example_and_every_example_is_a_command() {
        let without: Vec<String> =
            leaves(&Cli::command(), "").into_iter().filter(|path| of(path).next().is_none()).collect();
        assert!(without.is_empty(), "commands without an example: {without:?}");
        let refused: Vec<String> =
            all().filter_map(|one| Some(Cli::try_parse_from(words(one)).err()?.to_string())).collect();
        assert!(refused.is_empty(), "{refused:?}");
    }

    #[test]
    fn the_help_of_a_command_below_another_shows_its_own_examples_above_its_options() {
        let mut command = shown(Cli::command());
        command.build();
        let rotate = command.find_subcommand_mut("rings").and_then(|rings| rings.find_subcommand_mut("rotate"));
        let help = rotate.map(|rotate| rotate.render_help().to_string()).unwrap_or_default();
        let (example, options) = (help.find("  kimberly rings rotate master\n"), help.find("\nOptions:"));
        assert!(example.is_some() && example < options, "{help}");
        assert!(!help.contains("retire"), "{help}");
        let (own, global, connection) = (options, help.find("\nGlobal options:"), help.find("\nConnection:"));
        assert!(own < global && global < connection, "{help}");
    }
}
