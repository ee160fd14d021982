//! Command-line arguments shared by the three processes.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, Command, value_parser};

/// Parses the arguments of this process; prints help, version or errors. `Err` is the exit code: 0 after help or
/// version, 2 for invalid arguments.
pub(crate) fn config_file(process: &'static str, arguments: Vec<OsString>) -> Result<Option<PathBuf>, u8> {
    let config = Arg::new("config")
        .long("config")
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .help("Configuration file [default: KIMBERLY_CONFIG, else kimberly.toml here if there is one]");
    let command = Command::new(process)
        .bin_name(process.replace('-', " "))
        .no_binary_name(true)
        .version(crate::VERSION)
        .about("A process of Kimberly. `kimberly up` starts and supervises all of them.")
        .after_help("Every key can also be set as KIMBERLY_<SECTION>__<KEY>, such as KIMBERLY_API__LISTEN.")
        .arg(config);
    match command.try_get_matches_from(arguments) {
        Ok(matches) => Ok(matches.get_one::<PathBuf>("config").cloned()),
        Err(answer) => {
            let _ = answer.print();
            Err(u8::try_from(answer.exit_code()).unwrap_or(2))
        }
    }
}
