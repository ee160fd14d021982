//! Models with other windows and conventions, and unusual texts.

use std::fs;
use std::path::Path;

use crate::common::cosine;
use crate::stock::{Pool, Stock};
use crate::tiny::Tiny;
use kimberly_embedder::model::{Model, Options, Precision, Prefixes, Purpose, Workspace};
use serde_json::json;
use tempfile::TempDir;

fn folder(tiny: &Tiny) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    tiny.write(folder.path());
    folder
}

fn open(folder: &Path) -> Model {
    Model::open(folder, &Options::new(Precision::F32)).unwrap()
}

fn vector(model: &Model, text: &str, purpose: Purpose) -> Vec<f32> {
    let tokens = model.tokenize(text, purpose).unwrap();
    model.embed(&[tokens], &mut Workspace::default()).unwrap().remove(0)
}

#[test]
fn a_text_is_read_to_the_end_of_the_window_and_no_farther() {
    for window in [128, 512] {
        let folder = folder(&Tiny { positions: 512, window: Some(window), ..Tiny::default() });
        let model = open(folder.path());
        assert_eq!(model.window(), window);
        // Each letter is a token; two are special tokens.
        let text = |letters: usize| "a ".repeat(letters);
        let lengths = [window - 3, window - 2, window - 1, 10 * window];
        let tokens = lengths.map(|letters| model.tokenize(&text(letters), Purpose::Document).unwrap());
        assert_eq!(tokens.each_ref().map(Vec::len), [window - 1, window, window, window]);
        assert!(tokens[1] == tokens[2] && tokens[2] == tokens[3]);
        let stock = Stock::open(folder.path());
        let found = model.embed(&tokens, &mut Workspace::default()).unwrap();
        for (found, tokens) in found.iter().zip(&tokens) {
            let agreement = cosine(found, &stock.embed(tokens, Pool::Mean));
            assert!(agreement > 0.99999, "{window}: {agreement}");
        }
    }
}

#[test]
fn a_window_that_no_file_states_is_that_of_the_tokenizer_or_of_the_positions() {
    let folder = folder(&Tiny { positions: 512, window: None, ..Tiny::default() });
    assert_eq!(open(folder.path()).window(), 512);
    let write = |longest: serde_json::Value| {
        let config = json!({ "model_max_length": longest, "tokenizer_class": "BertTokenizer" });
        fs::write(folder.path().join("tokenizer_config.json"), config.to_string()).unwrap();
    };
    for (longest, window) in [(json!(128), 128), (json!(1e30), 512), (json!(4_096), 512), (json!(null), 512)] {
        write(longest);
        assert_eq!(open(folder.path()).window(), window);
    }
    fs::remove_file(folder.path().join("sentence_bert_config.json")).unwrap();
    write(json!(64));
    assert_eq!(open(folder.path()).window(), 64);
}

/// bge: pools the first token, and needs an instruction before queries that its files do not contain.
#[test]
fn a_model_of_the_kind_of_bge_takes_its_instruction_from_the_configuration() {
    let folder = folder(&Tiny { pooling: "cls", positions: 512, window: Some(512), ..Tiny::default() });
    fs::write(folder.path().join("config_sentence_transformers.json"), r#"{"__version__": {"pytorch": "2"}}"#).unwrap();
    let prefixes = Prefixes { query: Some("search for cats: ".to_owned()), document: None };
    let model = Model::open(folder.path(), &Options { prefixes, ..Options::new(Precision::F32) }).unwrap();
    assert_eq!((model.prefix(Purpose::Query), model.prefix(Purpose::Document)), ("search for cats: ", ""));
    let stock = Stock::open(folder.path());
    for (purpose, whole) in [(Purpose::Query, "search for cats: the cat"), (Purpose::Document, "the cat")] {
        let tokens = model.tokenize(whole, Purpose::Document).unwrap();
        let agreement = cosine(&vector(&model, "the cat", purpose), &stock.embed(&tokens, Pool::Cls));
        assert!(agreement > 0.99999, "{whole}: {agreement}");
    }
}

/// e5: prefixes for both purposes, which count towards the window.
#[test]
fn a_model_of_the_kind_of_e5_has_prefixes_for_both_and_they_count_in_the_window() {
    let folder = folder(&Tiny { window: Some(12), ..Tiny::default() });
    let prompts = json!({ "prompts": { "query": "q ", "passage": "p " } });
    fs::write(folder.path().join("config_sentence_transformers.json"), prompts.to_string()).unwrap();
    let model = open(folder.path());
    let long = "a ".repeat(50);
    for purpose in [Purpose::Query, Purpose::Document] {
        assert_eq!(model.tokenize(&long, purpose).unwrap().len(), 12);
    }
    let (query, passage) = (vector(&model, "the cat", Purpose::Query), vector(&model, "the cat", Purpose::Document));
    assert!(cosine(&query, &passage) < 0.9999);
    // Equals the same text with a written-out prefix, in a model without prefixes.
    let bare = Prefixes { query: Some(String::new()), document: Some(String::new()) };
    let bare = Model::open(folder.path(), &Options { prefixes: bare, ..Options::new(Precision::F32) }).unwrap();
    assert!(cosine(&query, &vector(&bare, "q the cat", Purpose::Query)) > 0.999_999);
    assert!(cosine(&passage, &vector(&bare, "p the cat", Purpose::Document)) > 0.999_999);
}

#[test]
fn every_text_has_a_vector_of_length_one_that_does_not_depend_on_its_neighbours() {
    let folder = folder(&Tiny { positions: 512, window: Some(512), ..Tiny::default() });
    for precision in [Precision::F32, Precision::Int8] {
        let model = Model::open(folder.path(), &Options::new(precision)).unwrap();
        let texts = [
            String::new(),
            " \t\r\n".to_owned(),
            "\0\u{1}\u{1b}\u{7f}\u{85}\u{feff}".to_owned(),
            "\u{1f600}".to_owned(),
            "\u{1f469}\u{200d}\u{1f467}".to_owned(),
            "the cat".to_owned(),
            "x".repeat(1 << 20),
            "the cat sat on the mat. ".repeat(50_000),
            "\u{6f22}".repeat(350_000),
            "\u{301}".repeat(500_000),
        ];
        let tokens: Vec<Vec<u32>> = texts.iter().map(|text| model.tokenize(text, Purpose::Document).unwrap()).collect();
        assert!(tokens.iter().all(|t| (1..=512).contains(&t.len())));
        let together = model.embed(&tokens, &mut Workspace::default()).unwrap();
        for (at, (found, tokens)) in together.iter().zip(&tokens).enumerate() {
            let length: f64 = found.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
            assert!((length - 1.0).abs() < 1e-5, "text {at}: {length}");
            let alone = model.embed(std::slice::from_ref(tokens), &mut Workspace::default()).unwrap().remove(0);
            assert!(cosine(found, &alone) > 0.999_999, "text {at}");
        }
    }
}
