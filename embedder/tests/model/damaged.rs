//! Every problem of a model's files is reported precisely, without panics.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use crate::tiny::Tiny;
use candle_core::{DType, Device, Tensor};
use kimberly_embedder::model::{Model, Options, Precision};
use serde_json::{Value, json};
use tempfile::TempDir;

fn model() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    Tiny::default().write(folder.path());
    folder
}

/// The error of opening the model.
fn refusal(folder: &Path) -> String {
    let of = |precision| Model::open(folder, &Options::new(precision)).unwrap_err().to_string();
    let refusal = of(Precision::F32);
    assert_eq!(of(Precision::Int8), refusal);
    refusal
}

fn opens(folder: &Path) -> bool {
    Model::open(folder, &Options::new(Precision::Int8)).is_ok()
}

/// Edits a JSON file.
fn edit(folder: &Path, name: &str, change: impl FnOnce(&mut Value)) {
    let mut value = serde_json::from_slice(&fs::read(folder.join(name)).unwrap()).unwrap();
    change(&mut value);
    fs::write(folder.join(name), value.to_string()).unwrap();
}

/// Edits the tensors.
fn edit_tensors(folder: &Path, change: impl FnOnce(&mut HashMap<String, Tensor>)) {
    let path = folder.join("model.safetensors");
    let mut tensors = candle_core::safetensors::load(&path, &Device::Cpu).unwrap();
    change(&mut tensors);
    candle_core::safetensors::save(&tensors, path).unwrap();
}

const POOLING: &str = "1_Pooling/config.json";
const REQUIRED: [&str; 4] = ["config.json", "model.safetensors", "tokenizer.json", "1_Pooling/config.json"];

#[test]
fn a_missing_file_or_folder_is_named() {
    for name in REQUIRED {
        let folder = model();
        fs::remove_file(folder.path().join(name)).unwrap();
        let said = refusal(folder.path());
        assert!(said.starts_with(name) && said.contains("is missing"), "{said}");
    }
    let folder = model();
    assert!(refusal(&folder.path().join("nowhere")).contains("nowhere cannot be read"));
    assert!(refusal(&folder.path().join("config.json")).contains("is not a folder"));
}

#[test]
fn a_file_cut_anywhere_is_named() {
    for name in REQUIRED.into_iter().chain(["modules.json", "sentence_bert_config.json"]) {
        let whole = model();
        let bytes = fs::read(whole.path().join(name)).unwrap();
        let cuts = [0, 1, 7, 8, 9, bytes.len() / 4, bytes.len() / 2, bytes.len() - 1];
        for cut in cuts.into_iter().filter(|cut| *cut < bytes.len()) {
            fs::write(whole.path().join(name), &bytes[..cut]).unwrap();
            let said = refusal(whole.path());
            assert!(said.starts_with(name), "{name} cut to {cut} bytes: {said}");
        }
    }
}

#[test]
fn garbage_in_any_file_is_named() {
    for name in
        REQUIRED.into_iter().chain(["modules.json", "sentence_bert_config.json", "config_sentence_transformers.json"])
    {
        for garbage in [
            &b"\xff\xfe\x00\x00\x00\x00\x00\x00\x00\x00"[..],
            b"[[[[[[[[[[[[[[[[",
            b"\"text\"",
            b"{\"a\": 1e999}",
            &[0; 64],
        ] {
            let folder = model();
            fs::write(folder.path().join(name), garbage).unwrap();
            // These files may be empty, and unknown members are ignored.
            if name.contains("sentence_") && garbage.starts_with(b"{") {
                assert!(opens(folder.path()), "{name}");
                continue;
            }
            let said = refusal(folder.path());
            assert!(said.starts_with(name), "{name}: {said}");
        }
    }
}

#[test]
fn a_header_of_weights_that_lies_is_refused() {
    let folder = model();
    let path = folder.path().join("model.safetensors");
    let bytes = fs::read(&path).unwrap();
    for (at, value) in [(0, 0xff), (3, 0x7f), (7, 0x01), (8, b'['), (20, 0x00), (40, 0xff)] {
        let mut broken = bytes.clone();
        broken[at] = value;
        fs::write(&path, broken).unwrap();
        let said = refusal(folder.path());
        assert!(said.starts_with("model.safetensors"), "{at}: {said}");
    }
}

#[test]
fn weights_of_another_shape_or_not_finite_are_named() {
    const DOWN: &str = "encoder.layer.1.output.dense.weight";
    let check = |change: &dyn Fn(&mut HashMap<String, Tensor>), words: &[&str]| {
        let folder = model();
        edit_tensors(folder.path(), |tensors| change(tensors));
        let said = refusal(folder.path());
        assert!(words.iter().all(|word| said.contains(word)), "{said}");
    };
    let zeros = |shape: &[usize]| Tensor::zeros(shape, DType::F32, &Device::Cpu).unwrap();
    check(&|t| drop(t.insert(DOWN.to_owned(), zeros(&[48, 99]))), &[DOWN, "[48, 99]", "[48, 100]"]);
    check(&|t| drop(t.insert(DOWN.to_owned(), zeros(&[4_800]))), &[DOWN, "[4800]"]);
    check(&|t| drop(t.remove(DOWN)), &["lacks", DOWN]);
    check(&|t| t.clear(), &["BERT family"]);
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let spoilt = move |t: &mut HashMap<String, Tensor>| {
            let mut values = vec![0.5; 4_800];
            values[4_799] = bad;
            t.insert(DOWN.to_owned(), Tensor::from_vec(values, (48, 100), &Device::Cpu).unwrap());
        };
        check(&spoilt, &["not finite", DOWN]);
    }
}

#[test]
fn weights_in_half_precision_are_taken() {
    let folder = model();
    edit_tensors(folder.path(), |tensors| {
        for tensor in tensors.values_mut() {
            *tensor = tensor.to_dtype(DType::BF16).unwrap();
        }
    });
    assert!(opens(folder.path()));
}

#[test]
fn a_tokenizer_that_the_library_would_panic_at_is_refused() {
    let folder = model();
    let whole = fs::read_to_string(folder.path().join("tokenizer.json")).unwrap();
    let at = whole.find("\"decoder\":{").unwrap() + "\"decoder\":{".len();
    fs::write(folder.path().join("tokenizer.json"), format!("{}nonsense{}", &whole[..at], &whole[at..])).unwrap();
    let said = refusal(folder.path());
    assert!(said.starts_with("tokenizer.json") && said.contains("cannot be parsed"), "{said}");
}

#[test]
fn a_tokenizer_of_another_vocabulary_is_refused() {
    let folder = model();
    edit(folder.path(), "tokenizer.json", |t| t["model"]["vocab"]["extra"] = json!(58));
    let said = refusal(folder.path());
    assert!(said.starts_with("tokenizer.json") && said.contains("belong to different models"), "{said}");
    // A slightly too long table is common; a much longer one belongs to another model.
    let folder = tempfile::tempdir().unwrap();
    Tiny::default().write(folder.path());
    let rows = |folder: &Path, rows: usize| {
        edit(folder, "config.json", |c| c["vocab_size"] = json!(rows));
        let table = Tensor::zeros((rows, 48), DType::F32, &Device::Cpu).unwrap();
        edit_tensors(folder, |t| drop(t.insert("embeddings.word_embeddings.weight".to_owned(), table)));
    };
    rows(folder.path(), 64);
    assert!(opens(folder.path()));
    rows(folder.path(), 2_000);
    assert!(refusal(folder.path()).contains("belong to different models"));
}

#[test]
fn bounds_of_the_architecture_are_checked_on_both_sides() {
    for (key, bad) in [
        ("hidden_size", json!(0)),
        ("hidden_size", json!(4_097)),
        ("hidden_size", json!(50)),
        ("hidden_size", json!(-1)),
        ("num_hidden_layers", json!(129)),
        ("num_attention_heads", json!(0)),
        ("intermediate_size", json!(65_537)),
        ("vocab_size", json!(0)),
        ("max_position_embeddings", json!(0)),
        ("type_vocab_size", json!(0)),
        ("layer_norm_eps", json!(0.0)),
        ("layer_norm_eps", json!(1.0)),
        ("hidden_act", json!("swish")),
        ("position_embedding_type", json!("relative_key")),
        ("model_type", json!("t5")),
    ] {
        let folder = model();
        edit(folder.path(), "config.json", |config| config[key] = bad.clone());
        let said = refusal(folder.path());
        assert!(said.starts_with("config.json"), "{key} {bad}: {said}");
    }
    let folder = model();
    edit(folder.path(), "config.json", |config| config["num_hidden_layers"] = json!(3));
    assert!(refusal(folder.path()).contains("encoder.layer.2"));
}

#[test]
fn modules_that_are_not_supported_are_named() {
    let check = |file: &str, change: &dyn Fn(&mut Value), word: &str| {
        let folder = model();
        edit(folder.path(), file, |value| change(value));
        let said = refusal(folder.path());
        assert!(said.starts_with(file) && said.contains(word), "{said}");
    };
    check("modules.json", &|m| m[2]["type"] = json!("sentence_transformers.models.Dense"), "Dense");
    check("modules.json", &|m| m[1]["path"] = json!("../1_Pooling"), "only folders within");
    check("modules.json", &|m| m[1]["path"] = json!("/etc"), "only folders within");
    check("modules.json", &|m| drop(m.as_array_mut().unwrap().drain(1..)), "no Pooling");
    check(POOLING, &|p| p["pooling_mode_cls_token"] = json!(true), "combines several");
    check(POOLING, &|p| p["pooling_mode_mean_tokens"] = json!(false), "selects no pooling mode");
    check(POOLING, &|p| p["pooling_mode"] = json!("lasttoken"), "lasttoken");
    check(POOLING, &|p| p["include_prompt"] = json!(false), "include_prompt");
    check(POOLING, &|p| p["word_embedding_dimension"] = json!(47), "pools 47");
    check("sentence_bert_config.json", &|s| s["max_seq_length"] = json!(2), "max_seq_length 2");
}

#[test]
fn the_version_changes_with_whatever_changes_vectors_and_with_nothing_else() {
    let version = |folder: &Path, options: &Options| Model::open(folder, options).unwrap().key().version().to_owned();
    let folder = model();
    let plain = Options::new(Precision::F32);
    let before = version(folder.path(), &plain);
    assert_eq!(version(folder.path(), &Options::new(Precision::Int8)), before);
    let mut prefixed = plain.clone();
    prefixed.prefixes.query = Some("query: ".to_owned());
    assert_eq!(version(folder.path(), &prefixed), before);
    prefixed.prefixes.document = Some("passage: ".to_owned());
    assert_ne!(version(folder.path(), &prefixed), before);
    fs::write(folder.path().join("README.md"), "x").unwrap();
    assert_eq!(version(folder.path(), &plain), before);
    edit(folder.path(), "sentence_bert_config.json", |s| s["max_seq_length"] = json!(20));
    let shorter = version(folder.path(), &plain);
    assert_ne!(shorter, before);
    edit_tensors(folder.path(), |t| {
        let norm = Tensor::zeros(48, DType::F32, &Device::Cpu).unwrap();
        t.insert("embeddings.LayerNorm.bias".to_owned(), norm);
    });
    assert_ne!(version(folder.path(), &plain), shorter);
}

#[test]
fn prompts_are_those_of_the_files_unless_set_by_hand() {
    use kimberly_embedder::model::Purpose::{Document, Query};
    let folder = model();
    let prompts =
        json!({ "prompts": { "query": "q: ", "passage": "p: ", "other": null }, "default_prompt_name": null });
    fs::write(folder.path().join("config_sentence_transformers.json"), prompts.to_string()).unwrap();
    let mut options = Options::new(Precision::Int8);
    let opened = Model::open(folder.path(), &options).unwrap();
    assert_eq!((opened.prefix(Query), opened.prefix(Document)), ("q: ", "p: "));
    assert_ne!(opened.tokenize("cat", Query).unwrap(), opened.tokenize("cat", Document).unwrap());
    options.prefixes.query = Some(String::new());
    options.prefixes.document = Some("d: ".to_owned());
    let opened = Model::open(folder.path(), &options).unwrap();
    assert_eq!((opened.prefix(Query), opened.prefix(Document)), ("", "d: "));
}
