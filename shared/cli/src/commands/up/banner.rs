//! Hints on what to try next.

use std::path::{Path, PathBuf};

use kimberly_runtime::Config;

use crate::commands::hooks::quoted;
use crate::context::{Context, account};

/// Whose memory the printed commands and the link use.
pub(super) struct User {
    id: String,
    /// Whether commands use another memory unless they name this user.
    must_be_named: bool,
}

impl User {
    /// The named user, else the one of commands that name none.
    pub(super) fn of(context: &Context, config: &Config) -> Self {
        let unnamed = config.auth.implied_user().map_or_else(account, String::from);
        let id = if context.user_is_named { context.user.clone() } else { unnamed.clone() };
        Self { must_be_named: id != unnamed, id }
    }
}

/// The address, the location of the data, and the first commands to try.
pub(super) fn text(config: &Config, user: &User) -> String {
    let command = if config.api.container { super::container::command() } else { command() };
    let scheme = if config.tls.is_on() { "https" } else { "http" };
    let server = format!("{scheme}://{}", crate::tls::here(config.api.listen));
    let whose =
        if user.must_be_named { format!("\n  export KIMBERLY_USER={}", quoted(&user.id)) } else { String::new() };
    let default = kimberly_runtime::config::ApiConfig::default().listen;
    let elsewhere = if config.api.container || server == format!("http://{default}") {
        String::new()
    } else {
        format!("\n  export KIMBERLY_SERVER={server}")
    };
    format!(
        "Kimberly is ready: {server}, data in {}, embeddings {}. Ctrl-C stops it.\nSee it in a browser: {}\n{}\nIn a second terminal, try:{elsewhere}{whose}\n  \
         {command} remember \"I drink my tea without sugar\"\n  {command} recall \"how do I like my tea?\"\n  \
         {command} doctor",
        data(config),
        embeddings(config),
        crate::commands::console::link(&server, &user.id, None),
        keys(config)
    )
}

/// The location of the data.
fn data(config: &Config) -> String {
    match config.postgres.database() {
        Some(database) => crate::commands::doctor::database(&database),
        None => std::path::absolute(&config.data_dir).unwrap_or_else(|_| config.data_dir.clone()).display().to_string(),
    }
}

/// The location of the keys, and what losing them means.
fn keys(config: &Config) -> String {
    let on_database = config.postgres.url.is_some();
    if !config.encryption.enabled {
        let store = if on_database { "the database" } else { "the data folder" };
        return format!("Nothing is encrypted: anyone who can read {store} can read every memory.");
    }
    if on_database {
        return match config.keys.sources().rings(&config.data_dir) {
            Ok(Some([master, sensitive])) => format!(
                "Sensitive memories are sealed, other data in the database is not: encrypt its disks. The keys are \
                 {master} and {sensitive}. Store a copy of them separate from the database, and give every machine \
                 the same ones: without them no sensitive memory can ever be read again."
            ),
            _ => "Sensitive memories are sealed; `kimberly doctor` shows where the keys are.".to_owned(),
        };
    }
    match config.keys.sources().rings(&config.data_dir) {
        Ok(Some([master, sensitive])) => format!(
            "Everything is encrypted; the keys are {master} and {sensitive}. Store a copy of them separate from the \
             data: without them no memory can ever be read again."
        ),
        _ => "Everything is encrypted; `kimberly doctor` shows where the keys are.".to_owned(),
    }
}

/// Whether memories are also recalled by meaning, and with which model.
fn embeddings(config: &Config) -> String {
    config.embedder.model.as_ref().map_or_else(|| "off".to_owned(), |model| format!("by {}", model.display()))
}

/// How to call this program: by name if PATH finds it, else by its path, relative if it is below this folder.
fn command() -> String {
    let Ok(program) = std::env::current_exe() else { return "kimberly".to_owned() };
    let found = std::env::var_os("PATH")
        .and_then(|path| std::env::split_paths(&path).map(|folder| folder.join("kimberly")).find(|file| file.is_file()))
        .and_then(|file| file.canonicalize().ok());
    if found.as_deref() == program.canonicalize().ok().as_deref() {
        return "kimberly".to_owned();
    }
    let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    program.strip_prefix(&here).map_or(program.as_path(), |below: &Path| below).display().to_string()
}
