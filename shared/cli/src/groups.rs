//! The help of `kimberly` itself: the most important commands, then all of them in groups.

use std::fmt::Write as _;

use crate::examples;

/// The output of `kimberly` without arguments.
pub(crate) const FIRST: &str = "\
Kimberly remembers what you tell it, on your own machine.

  kimberly up                                      start it, and leave it running
  kimberly remember \"I drink my tea without sugar\"
  kimberly recall \"how do I like my tea?\"
  kimberly list                                    what is remembered, with ids
  kimberly forget ID                               by an id's last characters

`kimberly --help` shows all commands, `kimberly COMMAND --help` the options of one.";

/// Column where descriptions start, and the maximum width.
const INDENT: usize = 17;
const WIDTH: usize = 80;

/// Makes the help show commands in groups, and connection options last.
pub(crate) fn grouped(command: clap::Command) -> clap::Command {
    let command = examples::shown(command);
    let mut rest: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
    let mut text = String::new();
    for (title, names) in examples::groups() {
        rest.retain(|name| !names.contains(name));
        text.push_str(&group(&command, title, &names));
    }
    if !rest.is_empty() {
        text.push_str(&group(&command, "More", &rest));
    }
    let template = format!("{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{text}{{all-args}}{{after-help}}");
    let mut command = command;
    // Adds `help`, which is hidden with the others.
    command.build();
    command
        .override_usage("kimberly [OPTIONS] <COMMAND>")
        .mut_subcommands(|subcommand| subcommand.hide(true))
        .help_template(template)
}

fn group(command: &clap::Command, title: &str, names: &[&str]) -> String {
    let mut text = format!("{title}:\n");
    for name in names {
        let about = command.find_subcommand(name).and_then(clap::Command::get_about);
        let about = about.map(ToString::to_string).unwrap_or_default();
        let _ = writeln!(text, "  {name:<width$}{}", wrapped(&about), width = INDENT - 2);
    }
    text.push('\n');
    text
}

fn wrapped(text: &str) -> String {
    let (mut lines, mut used) = (String::new(), 0);
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if used > 0 && INDENT + used + 1 + length > WIDTH {
            lines.push('\n');
            lines.push_str(&" ".repeat(INDENT));
            used = 0;
        } else if used > 0 {
            lines.push(' ');
            used += 1;
        }
        lines.push_str(word);
        used += length;
    }
    lines
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::args::Cli;

    #[test]
    fn commas_separate_only_values_that_contain_none() {
        fn check(command: &clap::Command) {
            for arg in command.get_arguments().filter(|arg| arg.get_value_delimiter().is_some()) {
                let is_id = arg.get_value_names().is_some_and(|names| names.iter().any(|name| name == "ID"));
                let is_listed = !arg.get_possible_values().is_empty();
                assert!(is_id || is_listed, "{} --{} splits names", command.get_name(), arg.get_id());
            }
            command.get_subcommands().for_each(check);
        }
        check(&Cli::command());
    }

    #[test]
    fn every_command_is_in_one_group_and_connections_come_last_within_80_columns() {
        let help = grouped(Cli::command()).render_help().to_string();
        assert!(!help.contains("More:"), "a command is in no group:\n{help}");
        let known: Vec<String> = Cli::command().get_subcommands().map(|one| one.get_name().to_owned()).collect();
        let mut listed: Vec<&str> = examples::groups().flat_map(|(_, names)| names).collect();
        assert!(listed.iter().all(|name| known.iter().any(|one| one == name)), "a group names what is no command");
        listed.sort_unstable();
        listed.dedup();
        assert_eq!(listed.len(), known.len(), "a command is in two groups");
        let (options, connection) = (help.find("\nOptions:"), help.find("\nConnection:"));
        assert!(options.is_some() && options < connection, "{help}");
        let groups = help.split("\nOptions:").next().unwrap_or_default();
        assert!(groups.lines().all(|line| line.chars().count() <= WIDTH), "{groups}");
    }
}
