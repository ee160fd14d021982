//! The arguments that all three processes take.

use std::path::PathBuf;

use clap::{Arg, Command, value_parser};

/// Reads the arguments of this process. `Err` is the code to end with: help and version were asked for (0), or the
/// arguments are wrong (2); what to say has been said.
pub(crate) fn config_file(process: &'static str) -> Result<Option<PathBuf>, u8> {
    let config = Arg::new("config")
        .long("config")
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .help("Configuration file [default: KIMBERLY_CONFIG, else kimberly.toml here if there is one]");
    let command = Command::new(process)
        .version(crate::VERSION)
        .about("A process of Kimberly. `kimberly up` starts and watches all of them.")
        .after_help("Every key can also be set as KIMBERLY_<SECTION>__<KEY>, such as KIMBERLY_API__LISTEN.")
        .arg(config);
    match command.try_get_matches() {
        Ok(matches) => Ok(matches.get_one::<PathBuf>("config").cloned()),
        Err(answer) => {
            let _ = answer.print();
            Err(u8::try_from(answer.exit_code()).unwrap_or(2))
        }
    }
}
