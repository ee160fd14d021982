//! Input that may come from stdin, for which `-` stands.

use std::io::{IsTerminal as _, Read as _};

use crate::error::{CliError, CliResult};

/// The argument, or all of stdin for `-`.
pub(crate) fn text(argument: String) -> CliResult<String> {
    if argument == "-" { stdin() } else { Ok(argument) }
}

/// The arguments, with `-` replaced by the words on stdin, such as ids from another command.
pub(crate) fn words(arguments: Vec<String>) -> CliResult<Vec<String>> {
    let mut words = Vec::with_capacity(arguments.len());
    for argument in arguments {
        if argument == "-" {
            words.extend(stdin()?.split_whitespace().map(str::to_owned));
        } else {
            words.push(argument);
        }
    }
    Ok(words)
}

/// One line of stdin, without its line break.
pub(crate) fn line() -> CliResult<String> {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

fn stdin() -> CliResult<String> {
    String::from_utf8(bytes()?).map_err(|_| CliError::usage("stdin is not UTF-8 text"))
}

/// All of stdin, whatever it is.
pub(crate) fn bytes() -> CliResult<Vec<u8>> {
    let mut input = std::io::stdin().lock();
    if input.is_terminal() {
        let _ = std::io::Write::write_all(&mut std::io::stderr(), b"reading from the terminal; end with Ctrl-D\n");
    }
    let mut raw = Vec::new();
    input.read_to_end(&mut raw)?;
    Ok(raw)
}
