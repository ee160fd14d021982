//! `kimberly model pull`: downloads the files of a sentence model into a folder that gets its name only when all are
//! verified.

use std::path::{Path, PathBuf};

use kimberly_runtime::Config;
use kimberly_runtime::config::Environment;
use serde_json::json;

use super::download;
use super::hub::{Hub, RemoteFile};
use crate::context::Context;
use crate::error::{CliError, CliResult};

/// The default hub, unless `HF_ENDPOINT` is set.
const HUB: &str = "https://huggingface.co";

/// The file in a partial folder that names its commit.
const COMMIT: &str = ".commit";

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The model, such as sentence-transformers/all-MiniLM-L6-v2
    id: String,
    /// Branch, tag or commit
    #[arg(long, default_value = "main")]
    revision: String,
    /// The hub [default: `HF_ENDPOINT`, else the public one]; a private model is read with `HF_TOKEN`
    #[arg(long, value_name = "URL")]
    hub: Option<String>,
    /// Configuration file [default: `KIMBERLY_CONFIG`, else kimberly.toml here if there is one]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let config = Config::load(self.config.as_deref(), &Environment::of_process())
            .map_err(|problems| CliError::usage(problems.to_string()))?
            .config;
        check_id(&self.id)?;
        let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        let address = self.hub.or_else(|| variable("HF_ENDPOINT")).unwrap_or_else(|| HUB.to_owned());
        let hub = Hub::new(&address, &self.id, &self.revision, variable("HF_TOKEN"))?;
        let models = config.data_dir.join("models");
        let out = context.out;
        // Network and file access block; the command does nothing else meanwhile.
        let (name, commit) = tokio::task::spawn_blocking(move || pull(&hub, &models, &self.id))
            .await
            .map_err(|error| CliError::failed(error.to_string()))??;
        let folder = config.data_dir.join("models").join(&name);
        out.answer(
            || json!({ "folder": folder, "model": name, "commit": commit }),
            || format!("{} is complete; set `model = \"{name}\"` in [embedder] to use it", folder.display()),
        )
    }
}

/// Downloads a model; returns its name and commit.
fn pull(hub: &Hub, models: &Path, id: &str) -> CliResult<(String, String)> {
    let name = kimberly_core::embedding::ModelKey::slugged(id);
    let folder = models.join(&name);
    let listing = hub.list()?;
    if folder.exists() {
        return Err(CliError::failed(format!(
            "{} exists already; remove it to download the model again",
            folder.display()
        )));
    }
    let wanted: Vec<&RemoteFile> = listing.files.iter().filter(|file| is_wanted(&file.name)).collect();
    for needed in ["config.json", "model.safetensors", "tokenizer.json"] {
        if !wanted.iter().any(|file| file.name.ends_with(needed)) {
            return Err(CliError::failed(format!(
                "{id} has no {needed}; a model must be published as safetensors, with its tokenizer"
            )));
        }
    }
    let partial = models.join(format!(".{name}.partial"));
    begin(&partial, &listing.commit)?;
    for file in wanted {
        download::fetch(hub, &listing.commit, file, &partial)?;
    }
    std::fs::remove_file(partial.join(COMMIT))?;
    std::fs::rename(&partial, &folder)?;
    Ok((name, listing.commit))
}

/// Creates the folder for a partial download. Removes leftovers of another commit, since files of two commits do not
/// form a model.
fn begin(partial: &Path, commit: &str) -> std::io::Result<()> {
    let noted = partial.join(COMMIT);
    if partial.exists() && std::fs::read_to_string(&noted).ok().as_deref() != Some(commit) {
        std::fs::remove_dir_all(partial)?;
    }
    std::fs::create_dir_all(partial)?;
    std::fs::write(noted, commit)
}

/// Whether the embedder uses a file.
fn is_wanted(name: &str) -> bool {
    const WHOLE: [&str; 7] = [
        "config.json",
        "model.safetensors",
        "tokenizer.json",
        "tokenizer_config.json",
        "modules.json",
        "sentence_bert_config.json",
        "config_sentence_transformers.json",
    ];
    match name.split_once('/') {
        None => WHOLE.contains(&name),
        Some((folder, "config.json")) => folder.ends_with("_Pooling") || folder.ends_with("_Transformer"),
        Some((folder, file)) => folder.ends_with("_Transformer") && WHOLE.contains(&file),
    }
}

fn check_id(id: &str) -> CliResult {
    let part = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
    };
    if id.len() <= 200 && (1..=2).contains(&id.split('/').count()) && id.split('/').all(part) {
        Ok(())
    } else {
        Err(CliError::usage(format!(
            "{id:?} is not a model's name; use one such as sentence-transformers/all-MiniLM-L6-v2"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_embedder_reads_is_fetched() {
        for name in ["config.json", "model.safetensors", "1_Pooling/config.json", "0_Transformer/tokenizer.json"] {
            assert!(is_wanted(name), "{name}");
        }
        for name in ["README.md", "pytorch_model.bin", "onnx/model.onnx", "../config.json", "a/b_Pooling/x/config.json"]
        {
            assert!(!is_wanted(name), "{name}");
        }
    }

    #[test]
    fn ids_name_a_model_and_nothing_else() {
        for good in ["a", "sentence-transformers/all-MiniLM-L6-v2"] {
            assert!(check_id(good).is_ok(), "{good}");
        }
        for bad in ["", "/", "a/", "a/b/c", "../x", "a b", "a?b", "https://x/y"] {
            assert!(check_id(bad).is_err(), "{bad}");
        }
    }
}
