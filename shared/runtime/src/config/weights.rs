//! Scoring weights outside the vaults, most specific first: the account's file, the machine's file, the environment,
//! the configuration's preset (K-3.4). A missing file is no level; an unreadable or invalid one is a level with a
//! warning (K-3.5).

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use kimberly_core::scoring::{Preset, Weights};
use kimberly_core::settings::{Origin, ScoringChoice, WeightLevel};
use serde::Deserialize;

use super::{Environment, ScoringConfig};

/// Maximum size of a weights file, in bytes.
const MAX_FILE_BYTES: u64 = 64 * 1024;
const SHAPE: &str = "write `scoring_weights:` and within it relevance_to_goals, emotional_weight, predictive_value and \
                     recency_freq, or `preset:` with one of balanced, task-focused, feedback-driven, fresh-context, archival";

/// The existing levels, most specific first.
pub(super) fn levels(scoring: &ScoringConfig, env: &Environment) -> Vec<WeightLevel> {
    let home = scoring.home_file.clone().or_else(|| in_home(env));
    let home = home.and_then(|path| from_file(&path)).map(|choice| WeightLevel { origin: Origin::HomeFile, choice });
    let system = from_file(&scoring.system_file).map(|choice| WeightLevel { origin: Origin::SystemFile, choice });
    let env = from_environment(env).map(|choice| WeightLevel { origin: Origin::Environment, choice });
    let preset = scoring.preset.map(|preset| Ok(ScoringChoice::Preset(preset)));
    let config = preset.map(|choice| WeightLevel { origin: Origin::Config, choice });
    [home, system, env, config].into_iter().flatten().collect()
}

fn in_home(env: &Environment) -> Option<PathBuf> {
    env.get("HOME").map(|home| Path::new(home).join(".kimberly/scoring_weights.yaml"))
}

/// The file's schema: `scoring_weights` with the four weights or a preset, or a preset alone.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    scoring_weights: FileWeights,
    preset: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileWeights {
    relevance_to_goals: Option<f64>,
    emotional_weight: Option<f64>,
    predictive_value: Option<f64>,
    recency_freq: Option<f64>,
    preset: Option<String>,
}

fn from_file(path: &Path) -> Option<Result<ScoringChoice, String>> {
    let text = match fs::metadata(path).and_then(|found| {
        if found.len() > MAX_FILE_BYTES {
            return Err(std::io::Error::new(ErrorKind::FileTooLarge, "it is larger than 64 KiB"));
        }
        fs::read_to_string(path)
    }) {
        Ok(text) => text,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return None,
        Err(error) => {
            return Some(Err(format!("{} cannot be read ({error})", path.display())));
        }
    };
    let choice = yaml_serde::from_str::<File>(&text).map_err(|error| error.to_string()).and_then(choice_of);
    Some(choice.map_err(|problem| format!("{}: {problem}; {SHAPE}", path.display())))
}

fn choice_of(file: File) -> Result<ScoringChoice, String> {
    let within = file.scoring_weights;
    let four = [within.relevance_to_goals, within.emotional_weight, within.predictive_value, within.recency_freq];
    match (file.preset, within.preset, four) {
        (
            None,
            None,
            [Some(relevance_to_goals), Some(emotional_weight), Some(predictive_value), Some(recency_freq)],
        ) => checked(Weights { relevance_to_goals, emotional_weight, predictive_value, recency_freq }),
        (Some(name), None, [None, None, None, None]) | (None, Some(name), [None, None, None, None]) => {
            Preset::from_name(&name).map(ScoringChoice::Preset).ok_or_else(|| format!("there is no preset {name:?}"))
        }
        (None, None, [None, None, None, None]) => Err("it has neither weights nor a preset".to_owned()),
        (None, None, _) => Err("it lacks some of the four weights".to_owned()),
        (Some(_), Some(_), _) => Err("it has two presets".to_owned()),
        _ => Err("it has both weights and a preset".to_owned()),
    }
}

/// `KIMBERLY_WEIGHT_*`: a level if one is set; unset ones keep their built-in weight.
fn from_environment(env: &Environment) -> Option<Result<ScoringChoice, String>> {
    const NAMES: [(&str, f64); 4] = [
        ("KIMBERLY_WEIGHT_RELEVANCE", 0.40),
        ("KIMBERLY_WEIGHT_EMOTIONAL", 0.30),
        ("KIMBERLY_WEIGHT_PREDICTIVE", 0.20),
        ("KIMBERLY_WEIGHT_RECENCY", 0.10),
    ];
    if NAMES.iter().all(|(name, _)| env.get(name).is_none()) {
        return None;
    }
    let mut found = [0.0; 4];
    for (slot, (name, built_in)) in found.iter_mut().zip(NAMES) {
        let raw = env.get(name);
        *slot = match raw.map(|raw| raw.trim().parse::<f64>()) {
            None => built_in,
            Some(Ok(weight)) => weight,
            Some(Err(_)) => {
                let raw = raw.unwrap_or_default();
                return Some(Err(format!("{name} is {raw:?}; write a number in [0, 1]")));
            }
        };
    }
    let [relevance_to_goals, emotional_weight, predictive_value, recency_freq] = found;
    Some(checked(Weights { relevance_to_goals, emotional_weight, predictive_value, recency_freq }))
}

/// Validates: each weight in [0, 1], at least one above 0.
fn checked(w: Weights) -> Result<ScoringChoice, String> {
    let all = [
        ("relevance_to_goals", w.relevance_to_goals),
        ("emotional_weight", w.emotional_weight),
        ("predictive_value", w.predictive_value),
        ("recency_freq", w.recency_freq),
    ];
    if let Some((name, weight)) = all.iter().find(|(_, weight)| !(0.0..=1.0).contains(weight)) {
        return Err(format!("the weight {name} is {weight}; 0 to 1 are allowed"));
    }
    if all.iter().all(|(_, weight)| *weight <= 0.0) {
        return Err("all weights are 0; at least one must be above 0".to_owned());
    }
    Ok(ScoringChoice::Weights(w))
}
