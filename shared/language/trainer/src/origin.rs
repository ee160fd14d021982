//! What weights are made from: the corpus, and the sources of features and trainer as they were compiled.

use kimberly_language::judge::weights::Origin;
use sha2::{Digest, Sha256};

/// Sources that change the weights. Reports and inference alone do not.
const SOURCES: [&str; 18] = [
    include_str!("../../src/judge/features.rs"),
    include_str!("../../src/judge/labels.rs"),
    include_str!("../../src/judge/layout.rs"),
    include_str!("../../src/judge/model.rs"),
    include_str!("../../src/judge/pieces.rs"),
    include_str!("../../src/judge/shapes.rs"),
    include_str!("../../src/judge/tokens.rs"),
    include_str!("../../src/judge/weights.rs"),
    include_str!("calibrate.rs"),
    include_str!("corpus.rs"),
    include_str!("drills.rs"),
    include_str!("examples.rs"),
    include_str!("label.rs"),
    include_str!("pack.rs"),
    include_str!("rounds.rs"),
    include_str!("second.rs"),
    include_str!("split.rs"),
    include_str!("train.rs"),
];

/// The origin of weights that this trainer makes from files of a corpus: names with texts, in order of names.
pub fn origin(files: &[(String, String)]) -> Origin {
    let mut corpus = Sha256::new();
    for (name, text) in files {
        corpus.update(format!("{name} {}\n", text.len()));
        corpus.update(text);
    }
    let mut trainer = Sha256::new();
    for source in SOURCES {
        trainer.update(format!("{}\n", source.len()));
        trainer.update(source);
    }
    Origin { corpus: corpus.finalize().into(), trainer: trainer.finalize().into() }
}
