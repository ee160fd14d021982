//! The files of a model, which may come from anywhere: weights, and their configuration.

mod tiny;

use std::path::Path;

use kimberly_embedder::model::{Model, Options, Precision};
use tempfile::TempDir;

use crate::Target;

pub(super) const TARGETS: &[Target] = &[
    Target { name: "model_config", about: "config.json of a model", seeds: configs, run: config },
    Target { name: "model_tokenizer", about: "tokenizer.json of a model", seeds: tokenizers, run: tokenizer },
    Target { name: "model_weights", about: "model.safetensors", seeds: weights_seeds, run: weights },
    Target { name: "model_modules", about: "modules.json of a model", seeds: modules_seeds, run: modules },
];

fn bytes(value: &serde_json::Value) -> Vec<u8> {
    value.to_string().into_bytes()
}

fn configs() -> Vec<Vec<u8>> {
    vec![bytes(&tiny::config())]
}

fn tokenizers() -> Vec<Vec<u8>> {
    vec![bytes(&tiny::tokenizer())]
}

fn modules_seeds() -> Vec<Vec<u8>> {
    vec![bytes(&tiny::modules())]
}

fn weights_seeds() -> Vec<Vec<u8>> {
    vec![tiny::weights()]
}

fn config(bytes: &[u8]) {
    open_with("config.json", bytes);
}

fn tokenizer(bytes: &[u8]) {
    open_with("tokenizer.json", bytes);
}

fn modules(bytes: &[u8]) {
    open_with("modules.json", bytes);
}

fn weights(bytes: &[u8]) {
    open_with("model.safetensors", bytes);
}

/// Opens the tiny model with one file replaced; a model that opens can embed a text.
fn open_with(file: &str, bytes: &[u8]) {
    thread_local! {
        static FOLDER: TempDir = whole_model();
    }
    FOLDER.with(|folder| {
        write(folder.path(), file, bytes);
        if let Ok(model) = Model::open(folder.path(), &Options::new(Precision::F32)) {
            let _tokens = model.tokenize("a b aab \u{e9}", kimberly_embedder::model::Purpose::Query);
        }
    });
}

/// The tiny model's files. A thread runs one target, so only one file of its folder changes.
fn whole_model() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("1_Pooling")).expect("a folder");
    for (name, bytes) in [
        ("config.json", bytes(&tiny::config())),
        ("tokenizer.json", bytes(&tiny::tokenizer())),
        ("modules.json", bytes(&tiny::modules())),
        ("1_Pooling/config.json", bytes(&tiny::pooling())),
        ("model.safetensors", tiny::weights()),
    ] {
        write(folder.path(), name, &bytes);
    }
    folder
}

fn write(folder: &Path, name: &str, bytes: &[u8]) {
    std::fs::write(folder.join(name), bytes).expect("a file");
}
