//! Scores of a cross-encoder agree with stock Candle, and every problem of its files is reported precisely.

use std::path::Path;

use candle_core::{D, DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config};
use candle_transformers::models::xlm_roberta;
use kimberly_embedder::model::{CrossEncoder, Options, Pair, Precision, Workspace};
use kimberly_kernels::Cpu;
use tempfile::TempDir;

use crate::tiny::Tiny;

fn written(tiny: &Tiny) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    Tiny { pooling: "classifier", ..tiny.clone() }.write(folder.path());
    folder
}

fn open(folder: &Path) -> CrossEncoder {
    CrossEncoder::open(folder, &Options::new(Precision::F32)).unwrap()
}

/// The score by stock Candle, with the classifier computed by tensors.
fn stock(folder: &Path, pair: &Pair, types: usize) -> f32 {
    let weights = std::fs::read(folder.join("model.safetensors")).unwrap();
    let weights = VarBuilder::from_buffered_safetensors(weights, DType::F32, &Device::Cpu).unwrap();
    let config = std::fs::read_to_string(folder.join("config.json")).unwrap();
    let ids = Tensor::new(&pair.tokens[..], &Device::Cpu).unwrap().unsqueeze(0).unwrap();
    let kinds: Vec<u32> = (0..pair.tokens.len()).map(|at| u32::from(types > 1 && at >= pair.text_from)).collect();
    let kinds = Tensor::new(kinds, &Device::Cpu).unwrap().unsqueeze(0).unwrap();
    let mask = ids.ones_like().unwrap();
    let score = if config.contains("roberta") {
        let config: xlm_roberta::Config = serde_json::from_str(&config).unwrap();
        let model = xlm_roberta::XLMRobertaForSequenceClassification::new(1, &config, weights).unwrap();
        model.forward(&ids, &mask, &kinds).unwrap()
    } else {
        let config: Config = serde_json::from_str(&config).unwrap();
        let hidden = config.hidden_size;
        let rows = BertModel::load(weights.clone(), &config).unwrap().forward(&ids, &kinds, Some(&mask)).unwrap();
        let dense = candle_nn::linear(hidden, hidden, weights.pp("bert.pooler.dense")).unwrap();
        let out = candle_nn::linear(hidden, 1, weights.pp("classifier")).unwrap();
        let first = rows.narrow(1, 0, 1).unwrap().squeeze(1).unwrap();
        first.apply(&dense).unwrap().tanh().unwrap().apply(&out).unwrap()
    };
    score.squeeze(D::Minus1).unwrap().to_vec1().unwrap()[0]
}

fn agrees(tiny: &Tiny) {
    let folder = written(tiny);
    let long = "z y x w ".repeat(30);
    let texts = ["", "the cat", "the cats sat on a mat", &long, "ж"];
    for cpu in Cpu::levels() {
        let options = Options { cpu, ..Options::new(Precision::F32) };
        let model = CrossEncoder::open(folder.path(), &options).unwrap();
        for query in ["cats", "", &long] {
            let pairs: Vec<Pair> = texts.iter().map(|text| model.tokenize(query, text).unwrap()).collect();
            let scores = model.score(&pairs, &mut Workspace::default()).unwrap();
            assert_eq!(scores.len(), pairs.len());
            for (score, pair) in scores.iter().zip(&pairs) {
                let expected = stock(folder.path(), pair, tiny.types);
                assert!((score - expected).abs() < 1e-4, "{score} is {expected} by {tiny:?} on {cpu:?}: {pair:?}");
            }
        }
    }
}

#[test]
fn scores_agree_with_stock_candle() {
    agrees(&Tiny { hidden: 32, heads: 2, ..Tiny::default() });
    agrees(&Tiny { activation: "relu", epsilon: 1e-3, layers: 3, ..Tiny::default() });
    agrees(&Tiny { model_type: "xlm-roberta", types: 1, epsilon: 1e-5, ..Tiny::default() });
}

#[test]
fn the_type_of_the_text_s_tokens_counts() {
    let folder = written(&Tiny::default());
    let model = open(folder.path());
    let pair = model.tokenize("cat", "cats").unwrap();
    let untyped = Pair { text_from: pair.tokens.len(), ..pair.clone() };
    let scores = model.score(&[pair, untyped], &mut Workspace::default()).unwrap();
    assert!((scores[0] - scores[1]).abs() > 1e-3, "{scores:?}");
}

#[test]
fn a_query_and_a_text_are_marked_and_share_the_window() {
    let folder = written(&Tiny::default());
    let model = open(folder.path());
    assert_eq!(model.window(), 40);
    let pair = model.tokenize("The cat", "cats").unwrap();
    assert_eq!((&pair.tokens[..], pair.text_from), (&[2, 4, 5, 3, 5, 6, 3][..], 4));
    assert_eq!(model.tokenize("", "").unwrap(), Pair { tokens: vec![2, 3, 3], text_from: 2 });
    let letters = |count: usize| "a ".repeat(count);
    for (query, text, text_from) in [(5, 1_000, 7), (1_000, 5, 34), (1_000, 1_000, 20)] {
        let pair = model.tokenize(&letters(query), &letters(text)).unwrap();
        assert_eq!((pair.tokens.len(), pair.text_from), (40, text_from), "{query} and {text}");
    }
    assert!(model.score(&[], &mut Workspace::default()).unwrap().is_empty());
}

#[test]
fn what_makes_a_folder_no_cross_encoder_is_named() {
    let check = |change: &dyn Fn(&mut std::collections::HashMap<String, Tensor>), words: &[&str]| {
        let folder = written(&Tiny::default());
        let path = folder.path().join("model.safetensors");
        let mut tensors = candle_core::safetensors::load(&path, &Device::Cpu).unwrap();
        change(&mut tensors);
        candle_core::safetensors::save(&tensors, &path).unwrap();
        let said = CrossEncoder::open(folder.path(), &Options::new(Precision::Int8)).unwrap_err().to_string();
        assert!(said.starts_with("model.safetensors") && words.iter().all(|word| said.contains(word)), "{said}");
    };
    let zeros = |shape: &[usize]| Tensor::zeros(shape, DType::F32, &Device::Cpu).unwrap();
    check(&|t| drop(t.remove("classifier.weight")), &["has no classifier.weight", "classification"]);
    check(&|t| drop(t.insert("classifier.weight".to_owned(), zeros(&[3, 48]))), &["[3, 48]", "one label", "[1, 48]"]);
    check(&|t| drop(t.remove("classifier.bias")), &["lacks", "classifier.bias"]);
    check(&|t| drop(t.remove("bert.pooler.dense.weight")), &["lacks", "bert.pooler.dense.weight"]);
    let folder = written(&Tiny { positions: 3, ..Tiny::default() });
    let said = CrossEncoder::open(folder.path(), &Options::new(Precision::Int8)).unwrap_err().to_string();
    assert!(said.starts_with("config.json has a window of 3; 3 are taken"), "{said}");
}
