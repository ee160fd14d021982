//! A program that the command line starts for one piece of work, since it must not access vaults itself: the first argument
//! names the work, the plan arrives as one JSON line on stdin, and the result goes to stdout as another.

use std::io::{BufRead as _, Write as _};
use std::path::Path;

use kimberly_runtime::config::Environment;
use kimberly_runtime::{Config, forbid_inspection, leave};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::trouble::Trouble;

/// Does the work that `command` plans, prints its result as `done`, and exits with an exit code of the command line.
pub(crate) fn run<P: DeserializeOwned>(
    (command, done): (&str, &str),
    work: impl FnOnce(P, &Runtime) -> Result<Value, Trouble>,
) -> ! {
    forbid_inspection(&Environment::of_process());
    let worked = plan(command).and_then(|plan| work(plan, &threads()?));
    let (line, code) = match worked {
        Ok(result) => (json!({done: result}), 0),
        Err(trouble) => {
            let (message, code) = trouble.told();
            (json!({"failed": {"message": message, "code": code}}), code)
        }
    };
    // If the reader is gone, the exit code still says how it ended.
    let _ = writeln!(std::io::stdout().lock(), "{line}");
    leave(code)
}

/// Reads the line with the plan.
pub(crate) fn line() -> Result<String, Trouble> {
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    read.map(|_| line).map_err(|error| Trouble::Usage(format!("no plan on stdin: {error}")))
}

fn plan<P: DeserializeOwned>(command: &str) -> Result<P, Trouble> {
    let unread = |_| Trouble::Usage(format!("the plan on stdin cannot be parsed; `{command}` writes it"));
    serde_json::from_str(&line()?).map_err(unread)
}

/// Starts the threads that the work runs on.
pub(crate) fn threads() -> Result<Runtime, Trouble> {
    Runtime::new().map_err(|error| Trouble::Failed(format!("cannot start threads: {error}; free some memory")))
}

/// Loads the configuration, from a file if one is named.
pub(crate) fn config(file: Option<&Path>) -> Result<Config, Trouble> {
    let loaded = Config::load(file, &Environment::of_process());
    loaded.map(|loaded| loaded.config).map_err(|problems| Trouble::Usage(problems.to_string()))
}
