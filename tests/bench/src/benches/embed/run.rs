//! Runs the embedder's measuring program, and Python with other runtimes.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use tokio::process::Command;

use crate::Result;
use crate::peers::run_within;

/// Timeout for installing and measuring all runtimes.
const PATIENCE: Duration = Duration::from_mins(40);

/// The output of `measure`, an example of the embedder's crate.
pub(super) async fn measure(arguments: &[&OsStr]) -> Result<String> {
    let built = std::env::current_exe()?;
    let program = built.with_file_name("examples").join("measure");
    run_within(PATIENCE, Command::new(program).args(arguments)).await
}

/// Writes settings to a file.
pub(super) fn settings_file(folder: &Path, settings: &Value) -> Result<PathBuf> {
    let path = folder.join("settings.json");
    std::fs::write(&path, settings.to_string())?;
    Ok(path)
}

/// Python with the runtimes of `peers/embed_requirements.txt`.
pub(super) struct Python {
    program: PathBuf,
    script: PathBuf,
}

impl Python {
    /// Installs them into `.cache/embed-venv` if missing, and exports the model for them.
    pub(super) async fn install(checkout: &Path, folder: &Path, export: &Value) -> Result<Self> {
        let (scripts, venv) = (checkout.join("tests/bench/peers"), checkout.join(".cache/embed-venv"));
        let python = Self { program: venv.join("bin/python"), script: scripts.join("embed_bench.py") };
        let requirements = scripts.join("embed_requirements.txt");
        let wanted = tokio::fs::read_to_string(&requirements).await?;
        let stamp = venv.join("installed.txt");
        if !tokio::fs::read_to_string(&stamp).await.is_ok_and(|installed| installed == wanted) {
            run_within(PATIENCE, Command::new("python3").args(["-m", "venv"]).arg(&venv)).await?;
            let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"];
            run_within(PATIENCE, Command::new(&python.program).args(pip).arg(requirements)).await?;
            tokio::fs::write(&stamp, wanted).await?;
        }
        python.ask(folder, export).await?;
        Ok(python)
    }

    /// Runs the script with settings; returns its output.
    pub(super) async fn ask(&self, folder: &Path, settings: &Value) -> Result<Value> {
        let file = settings_file(folder, settings)?;
        let printed = run_within(PATIENCE, Command::new(&self.program).arg("-B").arg(&self.script).arg(file)).await?;
        Ok(serde_json::from_str(printed.lines().last().unwrap_or_default())?)
    }
}
