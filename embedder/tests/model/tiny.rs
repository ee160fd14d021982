//! A small model with made-up weights, written as a folder with the files of a real one.

use std::collections::HashMap;
use std::path::Path;

use candle_core::{Device, Tensor};
use serde_json::{Value, json};

/// The model's parameters.
#[derive(Clone, Debug)]
pub(crate) struct Tiny {
    pub(crate) model_type: &'static str,
    pub(crate) hidden: usize,
    pub(crate) heads: usize,
    pub(crate) intermediate: usize,
    pub(crate) layers: usize,
    pub(crate) positions: usize,
    pub(crate) types: usize,
    pub(crate) activation: &'static str,
    /// `mean`, `cls` or `max`; `classifier` makes it a cross-encoder.
    pub(crate) pooling: &'static str,
    pub(crate) epsilon: f64,
    /// The text length that the model's files declare, if any.
    pub(crate) window: Option<usize>,
}

impl Default for Tiny {
    fn default() -> Self {
        Self {
            model_type: "bert",
            hidden: 48,
            heads: 3,
            intermediate: 100,
            layers: 2,
            positions: 40,
            types: 2,
            activation: "gelu",
            pooling: "mean",
            epsilon: 1e-12,
            window: Some(24),
        }
    }
}

/// The tokens of any lowercase text.
fn vocabulary() -> Vec<String> {
    let tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "cat", "##s"].map(str::to_owned);
    let letters = ('a'..='z').flat_map(|c| [c.to_string(), format!("##{c}")]).filter(|token| token != "##s");
    tokens.into_iter().chain(letters).collect()
}

impl Tiny {
    /// Writes all files into `folder`.
    pub(crate) fn write(&self, folder: &Path) {
        if self.pooling == "classifier" {
            return self.write_cross_encoder(folder);
        }
        std::fs::create_dir_all(folder.join("1_Pooling")).unwrap();
        let json = |name: &str, value: &Value| std::fs::write(folder.join(name), value.to_string()).unwrap();
        json("config.json", &self.config());
        json("tokenizer.json", &tokenizer());
        json(
            "modules.json",
            &json!([
                { "idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer" },
                { "idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling" },
                { "idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize" },
            ]),
        );
        json("sentence_bert_config.json", &json!({ "max_seq_length": self.window, "do_lower_case": false }));
        let mut pooling = json!({ "word_embedding_dimension": self.hidden });
        for mode in ["cls_token", "mean_tokens", "max_tokens", "mean_sqrt_len_tokens"] {
            pooling[format!("pooling_mode_{mode}")] = json!(mode.split('_').next() == Some(self.pooling));
        }
        if self.pooling == "mean" {
            pooling["pooling_mode_mean_sqrt_len_tokens"] = json!(false);
        }
        json("1_Pooling/config.json", &pooling);
        candle_core::safetensors::save(&filled(self.shapes()), folder.join("model.safetensors")).unwrap();
    }

    fn write_cross_encoder(&self, folder: &Path) {
        std::fs::create_dir_all(folder).unwrap();
        std::fs::write(folder.join("config.json"), self.config().to_string()).unwrap();
        std::fs::write(folder.join("tokenizer.json"), tokenizer().to_string()).unwrap();
        let (prefix, dense, out) = match self.model_type {
            "bert" => ("bert", "bert.pooler.dense", "classifier"),
            _ => ("roberta", "classifier.dense", "classifier.out_proj"),
        };
        let mut shapes: Shapes =
            self.shapes().into_iter().map(|(name, shape)| (format!("{prefix}.{name}"), shape)).collect();
        shapes.extend(pair(dense, &[self.hidden, self.hidden]));
        shapes.extend(pair(out, &[1, self.hidden]));
        candle_core::safetensors::save(&filled(shapes), folder.join("model.safetensors")).unwrap();
    }

    fn config(&self) -> Value {
        json!({
            "model_type": self.model_type,
            "architectures": ["BertModel"],
            "hidden_size": self.hidden,
            "num_hidden_layers": self.layers,
            "num_attention_heads": self.heads,
            "intermediate_size": self.intermediate,
            "vocab_size": vocabulary().len(),
            "max_position_embeddings": self.positions,
            "type_vocab_size": self.types,
            "layer_norm_eps": self.epsilon,
            "hidden_act": self.activation,
            "pad_token_id": 0,
            "position_embedding_type": "absolute",
            "hidden_dropout_prob": 0.1,
            "attention_probs_dropout_prob": 0.1,
            "initializer_range": 0.02,
        })
    }

    fn shapes(&self) -> Shapes {
        let (h, wide) = (self.hidden, self.intermediate);
        let mut shapes = vec![
            ("embeddings.word_embeddings.weight".to_owned(), vec![vocabulary().len(), h]),
            ("embeddings.position_embeddings.weight".to_owned(), vec![self.positions, h]),
            ("embeddings.token_type_embeddings.weight".to_owned(), vec![self.types, h]),
        ];
        shapes.extend(pair("embeddings.LayerNorm", &[h]));
        for layer in 0..self.layers {
            for (part, shape) in [
                ("attention.self.query", vec![h, h]),
                ("attention.self.key", vec![h, h]),
                ("attention.self.value", vec![h, h]),
                ("attention.output.dense", vec![h, h]),
                ("attention.output.LayerNorm", vec![h]),
                ("intermediate.dense", vec![wide, h]),
                ("output.dense", vec![h, wide]),
                ("output.LayerNorm", vec![h]),
            ] {
                shapes.extend(pair(&format!("encoder.layer.{layer}.{part}"), &shape));
            }
        }
        shapes
    }
}

/// Names and shapes of tensors.
type Shapes = Vec<(String, Vec<usize>)>;

/// Weights and bias of a layer.
fn pair(name: &str, shape: &[usize]) -> [(String, Vec<usize>); 2] {
    [(format!("{name}.weight"), shape.to_vec()), (format!("{name}.bias"), vec![shape[0]])]
}

/// Tensors with made-up values.
fn filled(shapes: Shapes) -> HashMap<String, Tensor> {
    let mut state = 7u32;
    let tensor = |(name, shape): (String, Vec<usize>)| {
        let (scale, shift) = if name.ends_with("LayerNorm.weight") { (0.2, 1.0) } else { (0.5, 0.0) };
        let values: Vec<f32> = (0..shape.iter().product())
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (f32::from(u16::try_from(state >> 16).unwrap()) / 32_768.0 - 1.0) * scale + shift
            })
            .collect();
        (name, Tensor::from_vec(values, shape, &Device::Cpu).unwrap())
    };
    shapes.into_iter().map(tensor).collect()
}

fn tokenizer() -> Value {
    let vocabulary: HashMap<String, usize> =
        vocabulary().into_iter().enumerate().map(|(id, token)| (token, id)).collect();
    let special = |content: &str| {
        json!({ "id": vocabulary[content], "content": content, "single_word": false, "lstrip": false, "rstrip": false,
                "normalized": false, "special": true })
    };
    let tokens: Vec<Value> = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"].into_iter().map(special).collect();
    json!({
        "version": "1.0",
        // Published models contain these; the embedder overrides them.
        "truncation": { "max_length": 8, "strategy": "LongestFirst", "stride": 0 },
        "padding": { "strategy": { "Fixed": 16 }, "direction": "Right", "pad_to_multiple_of": null, "pad_id": 0,
                     "pad_type_id": 0, "pad_token": "[PAD]" },
        "added_tokens": tokens,
        "normalizer": { "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                        "strip_accents": null, "lowercase": true },
        "pre_tokenizer": { "type": "BertPreTokenizer" },
        "post_processor": { "type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2] },
        "decoder": { "type": "WordPiece", "prefix": "##", "cleanup": true },
        "model": { "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                   "max_input_chars_per_word": 100, "vocab": vocabulary },
    })
}
