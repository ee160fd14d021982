//! Tests that a cross-encoder reorders the results of a query that asks for it, and that recall goes on without it. The
//! cross-encoder is a tiny one whose scores grow with the share of the word "salt".

use std::path::Path;

use kimberly_proto::v1 as pb;
use kimberly_tests::{System, User};
use serde_json::{Map, Value, json};

const HIDDEN: usize = 8;
const TOKENS: [&str; 5] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "salt"];
const POSITIONS: usize = 64;

/// Writes a network of one layer that adds the mean of all tokens to the first one, and a classifier that reads the
/// first value.
fn write_cross_encoder(folder: &Path) {
    let config = json!({
        "model_type": "bert", "hidden_size": HIDDEN, "num_hidden_layers": 1, "num_attention_heads": 1,
        "intermediate_size": HIDDEN, "vocab_size": TOKENS.len(), "max_position_embeddings": POSITIONS,
        "hidden_act": "gelu",
    });
    let vocabulary: Map<String, Value> =
        TOKENS.iter().enumerate().map(|(id, token)| ((*token).to_owned(), json!(id))).collect();
    let tokenizer = json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "decoder": null,
        "normalizer": { "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                        "strip_accents": null, "lowercase": true },
        "pre_tokenizer": { "type": "BertPreTokenizer" },
        "post_processor": { "type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2] },
        "model": { "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                   "max_input_chars_per_word": 100, "vocab": vocabulary },
    });
    for (name, content) in [("config.json", config.to_string()), ("tokenizer.json", tokenizer.to_string())] {
        std::fs::write(folder.join(name), content).expect("written");
    }
    std::fs::write(folder.join("model.safetensors"), safetensors(&tensors())).expect("written");
}

/// Names, shapes and values.
fn tensors() -> Vec<(String, Vec<usize>, Vec<f32>)> {
    let (square, zeros) = (vec![HIDDEN, HIDDEN], vec![0.0; HIDDEN * HIDDEN]);
    let identity: Vec<f32> = (0..HIDDEN * HIDDEN).map(|at| f32::from(u8::from(at % (HIDDEN + 1) == 0))).collect();
    // The word is the first axis, and every position the second.
    let words = (0..TOKENS.len() * HIDDEN).map(|at| if at == 4 * HIDDEN { 4.0 } else { 0.0 }).collect();
    let positions = (0..POSITIONS * HIDDEN).map(|at| f32::from(u8::from(at % HIDDEN == 1))).collect();
    let first = (0..HIDDEN).map(|at| f32::from(u8::from(at == 0))).collect();
    let mut tensors = vec![
        ("bert.embeddings.word_embeddings.weight".to_owned(), vec![TOKENS.len(), HIDDEN], words),
        ("bert.embeddings.position_embeddings.weight".to_owned(), vec![POSITIONS, HIDDEN], positions),
        ("bert.embeddings.token_type_embeddings.weight".to_owned(), vec![2, HIDDEN], vec![0.0; 2 * HIDDEN]),
        ("classifier.weight".to_owned(), vec![1, HIDDEN], first),
        ("classifier.bias".to_owned(), vec![1], vec![0.5]),
    ];
    let layer = |part: &str| format!("bert.encoder.layer.0.{part}");
    for (name, weights) in [
        (layer("attention.self.query"), &zeros),
        (layer("attention.self.key"), &zeros),
        (layer("attention.self.value"), &identity),
        (layer("attention.output.dense"), &identity),
        (layer("intermediate.dense"), &zeros),
        (layer("output.dense"), &zeros),
        ("bert.pooler.dense".to_owned(), &identity),
    ] {
        tensors.push((format!("{name}.weight"), square.clone(), weights.clone()));
        tensors.push((format!("{name}.bias"), vec![HIDDEN], vec![0.0; HIDDEN]));
    }
    let norms =
        ["bert.embeddings.LayerNorm".to_owned(), layer("attention.output.LayerNorm"), layer("output.LayerNorm")];
    for norm in norms {
        tensors.push((format!("{norm}.weight"), vec![HIDDEN], vec![1.0; HIDDEN]));
        tensors.push((format!("{norm}.bias"), vec![HIDDEN], vec![0.0; HIDDEN]));
    }
    tensors
}

/// The bytes of a file in the format safetensors.
fn safetensors(tensors: &[(String, Vec<usize>, Vec<f32>)]) -> Vec<u8> {
    let (mut header, mut data) = (Map::new(), Vec::new());
    for (name, shape, values) in tensors {
        let start = data.len();
        data.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        header.insert(name.clone(), json!({"dtype": "F32", "shape": shape, "data_offsets": [start, data.len()]}));
    }
    let mut header = Value::Object(header).to_string();
    header.push_str(&" ".repeat(header.len().next_multiple_of(8) - header.len()));
    [&u64::try_from(header.len()).expect("small").to_le_bytes()[..], header.as_bytes(), &data].concat()
}

/// The texts that a query returns, best first, and the note of the stage.
async fn asked(user: &mut User, reranked: bool) -> (Vec<String>, String) {
    let request = pb::QueryMemoriesRequest {
        user_id: user.id(),
        query: "Tavira".to_owned(),
        explain: true,
        stages: [("rerank".to_owned(), reranked)].into(),
        ..Default::default()
    };
    let answer = user.clients.memories.query_memories(request).await.expect("recalled").into_inner();
    let note = answer.stages.iter().find(|did| did.name == "rerank").map(|did| did.note.clone());
    let texts = answer.results.iter().filter_map(|one| Some(one.memory.as_ref()?.content.clone()));
    (texts.collect(), note.unwrap_or_default())
}

#[tokio::test]
async fn a_cross_encoder_reorders_results_where_a_query_asks_for_it() {
    let folder = tempfile::tempdir().expect("a folder");
    write_cross_encoder(folder.path());
    let named = folder.path().display().to_string();
    let settings = [("KIMBERLY_RERANK__MODEL", named.as_str()), ("KIMBERLY_RERANK__DEADLINE", "30s")];
    let mut system = System::start_with(&settings).await;
    let mut ana = system.user("ana");
    for text in
        ["The ketch lies at the pier of Tavira.", "Tea from Tavira.", "Salt, salt of Tavira.", "Tavira has salt."]
    {
        ana.remember(text).await;
    }
    let (plain, note) = asked(&mut ana, false).await;
    assert_eq!((plain.len(), note.as_str()), (4, ""));
    let (ranked, note) = asked(&mut ana, true).await;
    assert_eq!(ranked[..2], ["Salt, salt of Tavira.", "Tavira has salt."], "before: {plain:?}, note: {note}");
    let others: Vec<&String> = plain.iter().filter(|text| !text.to_lowercase().contains("salt")).collect();
    assert!(others.iter().all(|text| ranked[2..].contains(text)), "{ranked:?}");
    let moved = plain.iter().zip(&ranked).filter(|(old, new)| old != new).count();
    assert_eq!(note, format!("{moved} of 4 moved"));

    system.embedder.stop();
    let (without, note) = asked(&mut ana, true).await;
    assert_eq!(without, plain);
    assert!(note.starts_with("not used: the cross-encoder did not answer"), "{note}");
}
