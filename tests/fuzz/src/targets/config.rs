//! The configuration: a file in TOML, weights in YAML, and variables.

use std::cell::RefCell;
use std::path::PathBuf;

use kimberly_runtime::Config;
use kimberly_runtime::config::Environment;
use tempfile::TempDir;

use super::{seeds, text};
use crate::Target;

pub(super) const TARGETS: &[Target] = &[
    Target { name: "config_toml", about: "kimberly.toml", seeds: tomls, run: toml },
    Target { name: "weights_yaml", about: "scoring_weights.yaml", seeds: yamls, run: yaml },
    Target { name: "environment", about: "variables, one a line", seeds: variables, run: environment },
];

thread_local! {
    /// This thread's folder for the file that is read.
    static FOLDER: RefCell<Option<TempDir>> = const { RefCell::new(None) };
}

fn written(name: &str, bytes: &[u8]) -> PathBuf {
    FOLDER.with_borrow_mut(|folder| {
        let folder = folder.get_or_insert_with(|| tempfile::tempdir().expect("a folder"));
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("a file");
        path
    })
}

fn tomls() -> Vec<Vec<u8>> {
    vec![include_bytes!("../../../../deploy/kimberly.sample.toml").to_vec(), b"[api]\nport = 1\n".to_vec()]
}

fn toml(bytes: &[u8]) {
    let path = written("kimberly.toml", bytes);
    if let Ok(loaded) = Config::load(Some(&path), &Environment(Vec::new())) {
        loaded.config.check().expect("what was loaded was checked");
    }
}

fn yamls() -> Vec<Vec<u8>> {
    seeds(&[
        "scoring_weights:\n  preset: task-focused\n",
        "scoring_weights:\n  relevance_to_goals: 0.4\n  emotional_weight: 0.3\n  predictive_value: 0.2\n  recency_freq: 0.1\n",
        "preset: balanced\n",
    ])
}

fn yaml(bytes: &[u8]) {
    let path = written("scoring_weights.yaml", bytes);
    let variables = vec![("KIMBERLY_SCORING__HOME_FILE".to_owned(), path.display().to_string())];
    let loaded = Config::load(None, &Environment(variables));
    // Proves that the file is what was read.
    if yamls().iter().any(|seed| seed == bytes) {
        loaded.expect("the seeds are weights");
    }
}

fn variables() -> Vec<Vec<u8>> {
    seeds(&["KIMBERLY_API__PORT=7\nKIMBERLY_DATA_DIR=/tmp/x", "KIMBERLY_WEIGHT_RECENCY=0.5"])
}

fn environment(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let variables = text.lines().filter_map(|line| line.split_once('=')).filter(|(name, _)| *name != "KIMBERLY_CONFIG");
    let _loaded = Config::load(None, &Environment(variables.map(|(n, v)| (n.to_owned(), v.to_owned())).collect()));
}
