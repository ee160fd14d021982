//! `kimberly embedder check FOLDER`: opens a model like the service does, embeds one text and describes the model.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::model::{Model, ModelError, Options, Precision, Purpose, Workspace};

/// The folder argument of `check`; `None` for other commands.
pub fn asked(mut arguments: impl Iterator<Item = std::ffi::OsString>) -> Option<PathBuf> {
    arguments.next().filter(|word| word == "check").and(arguments.next()).map(PathBuf::from)
}

/// Checks the model in a folder and reports on stdout; problems go to stderr, with exit code 1.
pub fn run(folder: &Path) -> ExitCode {
    match report(folder) {
        Ok(text) => {
            let _ = writeln!(std::io::stdout(), "{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            let _ = writeln!(
                std::io::stderr(),
                "kimberly-embedder: the model in {} cannot be used: {error}",
                folder.display()
            );
            ExitCode::FAILURE
        }
    }
}

fn report(folder: &Path) -> Result<String, ModelError> {
    let options = Options::new(Precision::Int8);
    let model = Model::open(folder, &options)?;
    let tokens = model.tokenize("The quick brown fox jumps over the lazy dog.", Purpose::Document)?;
    model.embed(&[tokens], &mut Workspace::default())?;
    let prefix = |purpose| match model.prefix(purpose) {
        "" => "nothing".to_owned(),
        prefix => format!("{prefix:?}"),
    };
    Ok(format!(
        "model       {}\ndimensions  {}\nwindow      {} tokens\nmemory      {} MB as int8\nbefore queries {}, before memories {}",
        model.key(),
        model.key().dimension(),
        model.window(),
        model.bytes() >> 20,
        prefix(Purpose::Query),
        prefix(Purpose::Document),
    ))
}
