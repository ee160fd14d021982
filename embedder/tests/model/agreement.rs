//! Vectors agree with those of other implementations: stock Candle and sentence-transformers.

use std::path::Path;

use crate::common::{cosine, minilm};
use crate::stock::{Pool, Stock};
use crate::texts::texts;
use crate::tiny::Tiny;
use kimberly_embedder::model::{Model, Options, Precision, Purpose, Workspace};
use kimberly_kernels::Cpu;

fn opened(folder: &Path, precision: Precision) -> Model {
    Model::open(folder, &Options::new(precision)).unwrap()
}

/// The vectors of texts in batches of seven, which mix lengths.
fn vectors(model: &Model, tokens: &[Vec<u32>]) -> Vec<Vec<f32>> {
    let mut workspace = Workspace::default();
    tokens.chunks(7).flat_map(|batch| model.embed(batch, &mut workspace).unwrap()).collect()
}

fn tokens(model: &Model, texts: &[String]) -> Vec<Vec<u32>> {
    texts.iter().map(|text| model.tokenize(text, Purpose::Document).unwrap()).collect()
}

/// Vectors of the thousand texts by sentence-transformers; see `reference/make.py`.
const REFERENCE: &[u8] = include_bytes!("reference/minilm.i16");

fn reference() -> Vec<Vec<f32>> {
    let (numbers, rest) = REFERENCE.as_chunks::<2>();
    assert!(rest.is_empty() && numbers.len() == 1_000 * 384, "the fixture fits the texts");
    let numbers: Vec<f32> = numbers.iter().map(|bytes| f32::from(i16::from_le_bytes(*bytes))).collect();
    numbers.chunks(384).map(<[f32]>::to_vec).collect()
}

#[test]
fn a_thousand_texts_have_the_vectors_of_sentence_transformers_in_f32_and_near_ones_in_int8() {
    let folder = minilm();
    let texts = texts(1_000);
    let (float, int8) = (opened(&folder, Precision::F32), opened(&folder, Precision::Int8));
    let tokens = tokens(&float, &texts);
    assert!(tokens.iter().any(|t| t.len() == float.window()) && tokens.iter().any(|t| t.len() == 2));
    let (of_float, of_int8) = (vectors(&float, &tokens), vectors(&int8, &tokens));
    let mut near = 0.0;
    for ((text, expected), (float, int8)) in texts.iter().zip(reference()).zip(of_float.iter().zip(&of_int8)) {
        let agreement = cosine(float, &expected);
        assert!(agreement > 0.9999, "{agreement}: {:?}", text.chars().take(60).collect::<String>());
        assert!((cosine(float, float) - 1.0).abs() < 1e-6);
        near += cosine(int8, &expected) / 1_000.0;
    }
    assert!(near >= 0.99, "the mean cosine of int8 to f32 is {near}");
}

/// Only every `STEP`th text is compared with stock Candle, which is slow.
const STEP: usize = 20;

#[test]
fn texts_have_the_vectors_of_stock_candle() {
    let folder = minilm();
    let (model, stock) = (opened(&folder, Precision::F32), Stock::open(&folder));
    let chosen: Vec<String> = texts(1_000).into_iter().step_by(STEP).collect();
    let tokens = tokens(&model, &chosen);
    for ((vector, tokens), text) in vectors(&model, &tokens).iter().zip(&tokens).zip(&chosen) {
        let agreement = cosine(vector, &stock.embed(tokens, Pool::Mean));
        assert!(agreement > 0.9999, "{agreement}: {:?}", text.chars().take(60).collect::<String>());
    }
}

/// Checks the network at all processor levels.
fn agrees(tiny: &Tiny, pool: Pool) {
    let folder = tempfile::tempdir().unwrap();
    tiny.write(folder.path());
    let stock = Stock::open(folder.path());
    for cpu in Cpu::levels() {
        let model = Model::open(folder.path(), &Options { cpu, ..Options::new(Precision::F32) }).unwrap();
        assert_eq!(usize::try_from(model.key().dimension()).unwrap(), tiny.hidden);
        let texts =
            ["", "the cat", "the cats sat on a mat", "zzzz yyyy xxxx wwww vvvv uuuu tttt ssss", "ж"].map(str::to_owned);
        let tokens = tokens(&model, &texts);
        assert_eq!(tokens[3].len(), 24, "cut to the window");
        for (found, tokens) in vectors(&model, &tokens).iter().zip(&tokens) {
            let agreement = cosine(found, &stock.embed(tokens, pool));
            assert!(agreement > 0.99999, "{tiny:?} on {cpu:?} has {agreement}");
        }
    }
}

#[test]
fn every_pooling_agrees_with_stock_candle() {
    agrees(&Tiny::default(), Pool::Mean);
    agrees(&Tiny { pooling: "cls", ..Tiny::default() }, Pool::Cls);
    agrees(&Tiny { pooling: "max", ..Tiny::default() }, Pool::Max);
}

#[test]
fn every_activation_and_epsilon_agrees_with_stock_candle() {
    agrees(&Tiny { activation: "gelu_new", ..Tiny::default() }, Pool::Mean);
    agrees(&Tiny { activation: "relu", epsilon: 1e-3, ..Tiny::default() }, Pool::Mean);
}

#[test]
fn heads_of_any_dimension_agree_with_stock_candle() {
    for (hidden, heads) in [(64, 1), (64, 2), (40, 4), (16, 16), (312, 12)] {
        agrees(&Tiny { hidden, heads, ..Tiny::default() }, Pool::Mean);
    }
}

#[test]
fn roberta_counts_its_positions_from_behind_the_padding_token() {
    agrees(&Tiny { model_type: "xlm-roberta", types: 1, epsilon: 1e-5, ..Tiny::default() }, Pool::Mean);
}
