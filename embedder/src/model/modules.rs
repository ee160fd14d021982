//! `modules.json` and the files that it names: the parts of a sentence model, the pooling, the maximum text length.
//! Vectors are always normalized, even without a module for it: the index needs it, and cosines are unaffected.

use std::path::{Component, Path};

use serde::Deserialize;

use super::ModelError;
use super::architecture::Architecture;
use super::files::Files;

const FILE: &str = "modules.json";

/// How token vectors are pooled into one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pooling {
    /// Their mean.
    Mean,
    /// The first token's.
    Cls,
    /// The maximum per dimension.
    Max,
}

#[derive(Debug, Deserialize)]
struct RawModule {
    path: String,
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Debug, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "as the file has them")]
struct RawPooling {
    word_embedding_dimension: Option<usize>,
    #[serde(default)]
    pooling_mode: Option<String>,
    #[serde(default)]
    pooling_mode_cls_token: bool,
    #[serde(default)]
    pooling_mode_mean_tokens: bool,
    #[serde(default)]
    pooling_mode_max_tokens: bool,
    #[serde(default)]
    pooling_mode_mean_sqrt_len_tokens: bool,
    #[serde(default)]
    pooling_mode_weightedmean_tokens: bool,
    #[serde(default)]
    pooling_mode_lasttoken: bool,
    #[serde(default = "RawPooling::included")]
    include_prompt: bool,
}

impl RawPooling {
    const fn included() -> bool {
        true
    }
}

/// Preprocessing of texts before tokenization.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Sentences {
    /// Maximum tokens per text.
    pub(super) max_seq_length: Option<usize>,
    /// Whether texts are lowercased.
    #[serde(default)]
    pub(super) do_lower_case: bool,
}

/// The parts of a sentence model.
#[derive(Debug)]
pub(super) struct Modules {
    transformer: String,
    pooling_file: Option<String>,
    dimension: Option<usize>,
    pub(super) pooling: Pooling,
    pub(super) sentences: Sentences,
}

impl Modules {
    /// The parts of a network that is no sentence model.
    pub(super) const fn of_network() -> Self {
        let sentences = Sentences { max_seq_length: None, do_lower_case: false };
        Self { transformer: String::new(), pooling_file: None, dimension: None, pooling: Pooling::Cls, sentences }
    }

    pub(super) fn read(files: &Files) -> Result<Self, ModelError> {
        // Without the file it is a plain encoder, which sentence-transformers pools by the mean.
        let modules: Option<Vec<RawModule>> = files.optional_json(FILE)?;
        let (mut transformer, mut pooling_folder) = (String::new(), None);
        for (at, module) in modules.iter().flatten().enumerate() {
            let folder = inside(&module.path)?;
            match (at, module.kind.rsplit('.').next().unwrap_or_default()) {
                (0, "Transformer") => transformer = folder,
                (1, "Pooling") => pooling_folder = Some(folder),
                (2.., "Normalize") => {}
                (_, kind) => {
                    return Err(ModelError::refused(
                        FILE,
                        format!(
                            "has {kind:?} as part {at}; Transformer, Pooling and possibly Normalize are supported, in \
                             this order"
                        ),
                    ));
                }
            }
        }
        if modules.is_some() && pooling_folder.is_none() {
            return Err(ModelError::refused(FILE, "has no Pooling; a sentence model has one"));
        }
        let pooling_file = pooling_folder.map(|folder| joined(&folder, "config.json"));
        let raw: Option<RawPooling> = pooling_file.as_ref().map(|name| files.json(name)).transpose()?;
        let named = pooling_file.as_deref().unwrap_or(FILE);
        let pooling = raw.as_ref().map_or(Ok(Pooling::Mean), pooling).map_err(|e| ModelError::refused(named, e))?;
        let sentences = files.optional_json(&joined(&transformer, "sentence_bert_config.json"))?.unwrap_or_default();
        let dimension = raw.and_then(|raw| raw.word_embedding_dimension);
        Ok(Self { transformer, pooling_file, dimension, pooling, sentences })
    }

    /// The path of a transformer file within the model's folder.
    pub(super) fn transformer_file(&self, name: &str) -> String {
        joined(&self.transformer, name)
    }

    /// Checks that the parts fit each other.
    pub(super) fn check(&self, architecture: &Architecture) -> Result<(), ModelError> {
        match (&self.pooling_file, self.dimension) {
            (Some(file), Some(dimension)) if dimension != architecture.hidden => Err(ModelError::refused(
                file.clone(),
                format!("pools {dimension} values, but config.json says that tokens have {}", architecture.hidden),
            )),
            _ => Ok(()),
        }
    }
}

fn joined(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// A path within the model's folder, without trailing slash; refuses others.
fn inside(path: &str) -> Result<String, ModelError> {
    if Path::new(path).components().all(|part| matches!(part, Component::Normal(_))) {
        Ok(path.trim_end_matches('/').to_owned())
    } else {
        Err(ModelError::refused(FILE, format!("has the path {path:?}; only folders within the model's are allowed")))
    }
}

fn pooling(raw: &RawPooling) -> Result<Pooling, String> {
    const SUPPORTED: &str = "mean, cls and max are supported";
    if !raw.include_prompt {
        return Err("excludes prompts from the pooling (include_prompt false), which is not supported".to_owned());
    }
    let switches = [
        ("cls", raw.pooling_mode_cls_token),
        ("mean", raw.pooling_mode_mean_tokens),
        ("max", raw.pooling_mode_max_tokens),
        // A sum divided by the root of the number of tokens has the direction of the mean.
        ("mean", raw.pooling_mode_mean_sqrt_len_tokens),
        ("weightedmean", raw.pooling_mode_weightedmean_tokens),
        ("lasttoken", raw.pooling_mode_lasttoken),
    ];
    let chosen = switches.into_iter().filter(|(_, on)| *on).map(|(name, _)| name);
    let modes: Vec<&str> = raw.pooling_mode.as_deref().map_or_else(|| chosen.collect(), |mode| vec![mode]);
    match modes[..] {
        ["mean" | "mean_sqrt_len_tokens"] => Ok(Pooling::Mean),
        ["cls"] => Ok(Pooling::Cls),
        ["max"] => Ok(Pooling::Max),
        [] => Err(format!("selects no pooling mode; {SUPPORTED}")),
        [other] => Err(format!("pools by {other:?}; {SUPPORTED}")),
        _ => Err(format!("combines several pooling modes ({}); only one is supported: {SUPPORTED}", modes.join(", "))),
    }
}
