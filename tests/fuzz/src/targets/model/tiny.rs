//! A model of one layer with eight components, whose files are small enough for a fuzzer.

use serde_json::{Map, Value, json};

const HIDDEN: usize = 8;
const VOCABULARY: [&str; 8] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "b", "##a", "##b"];

pub(super) fn config() -> Value {
    json!({
        "model_type": "bert", "architectures": ["BertModel"], "hidden_size": HIDDEN, "num_hidden_layers": 1,
        "num_attention_heads": 2, "intermediate_size": 16, "vocab_size": VOCABULARY.len(),
        "max_position_embeddings": 16, "type_vocab_size": 2, "layer_norm_eps": 1e-12, "hidden_act": "gelu",
        "pad_token_id": 0, "position_embedding_type": "absolute",
    })
}

pub(super) fn modules() -> Value {
    json!([
        { "idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer" },
        { "idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling" },
        { "idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize" },
    ])
}

pub(super) fn pooling() -> Value {
    json!({
        "word_embedding_dimension": HIDDEN, "pooling_mode_cls_token": false, "pooling_mode_mean_tokens": true,
        "pooling_mode_max_tokens": false, "pooling_mode_mean_sqrt_len_tokens": false,
    })
}

pub(super) fn tokenizer() -> Value {
    let vocabulary: Map<String, Value> =
        VOCABULARY.iter().enumerate().map(|(id, token)| ((*token).to_owned(), json!(id))).collect();
    let token = |id: usize| {
        json!({ "id": id, "content": VOCABULARY[id], "single_word": false, "lstrip": false, "rstrip": false,
                "normalized": false, "special": true })
    };
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [token(0), token(1), token(2), token(3)],
        "normalizer": { "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                        "strip_accents": null, "lowercase": true },
        "pre_tokenizer": { "type": "BertPreTokenizer" },
        "post_processor": { "type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2] },
        "decoder": { "type": "WordPiece", "prefix": "##", "cleanup": true },
        "model": { "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                   "max_input_chars_per_word": 100, "vocab": vocabulary },
    })
}

/// The length of the JSON header, the header, and the numbers.
pub(super) fn weights() -> Vec<u8> {
    let (mut header, mut end) = (Map::new(), 0);
    for (name, shape) in shapes() {
        let begin = end;
        end += shape.iter().product::<usize>() * 4;
        header.insert(name, json!({ "dtype": "F32", "shape": shape, "data_offsets": [begin, end] }));
    }
    let header = Value::Object(header).to_string();
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend_from_slice(header.as_bytes());
    bytes.extend((0u8..7).cycle().take(end / 4).flat_map(|at| (0.25f32 * f32::from(at) - 0.5).to_le_bytes()));
    bytes
}

fn shapes() -> Vec<(String, Vec<usize>)> {
    let mut shapes = vec![
        ("embeddings.word_embeddings.weight".to_owned(), vec![VOCABULARY.len(), HIDDEN]),
        ("embeddings.position_embeddings.weight".to_owned(), vec![16, HIDDEN]),
        ("embeddings.token_type_embeddings.weight".to_owned(), vec![2, HIDDEN]),
    ];
    for (part, shape) in [
        ("embeddings.LayerNorm", vec![HIDDEN]),
        ("encoder.layer.0.attention.self.query", vec![HIDDEN, HIDDEN]),
        ("encoder.layer.0.attention.self.key", vec![HIDDEN, HIDDEN]),
        ("encoder.layer.0.attention.self.value", vec![HIDDEN, HIDDEN]),
        ("encoder.layer.0.attention.output.dense", vec![HIDDEN, HIDDEN]),
        ("encoder.layer.0.attention.output.LayerNorm", vec![HIDDEN]),
        ("encoder.layer.0.intermediate.dense", vec![16, HIDDEN]),
        ("encoder.layer.0.output.dense", vec![HIDDEN, 16]),
        ("encoder.layer.0.output.LayerNorm", vec![HIDDEN]),
    ] {
        shapes.push((format!("{part}.bias"), vec![shape[0]]));
        shapes.push((format!("{part}.weight"), shape));
    }
    shapes
}
