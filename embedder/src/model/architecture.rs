//! `config.json`: the network's architecture.

use kimberly_kernels::{Finish, Heads};
use serde::Deserialize;

use super::ModelError;
use super::files::Files;
use super::modules::Modules;

/// The file's content.
#[derive(Debug, Deserialize)]
struct Raw {
    model_type: Option<String>,
    hidden_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    intermediate_size: usize,
    vocab_size: usize,
    max_position_embeddings: usize,
    #[serde(default = "Raw::types")]
    type_vocab_size: usize,
    #[serde(default = "Raw::epsilon")]
    layer_norm_eps: f32,
    #[serde(default)]
    pad_token_id: Option<usize>,
    hidden_act: String,
    position_embedding_type: Option<String>,
}

impl Raw {
    const fn types() -> usize {
        2
    }

    const fn epsilon() -> f32 {
        1e-12
    }
}

/// A network of the BERT family.
#[derive(Clone, Debug)]
pub(super) struct Architecture {
    /// Values per token.
    pub(super) hidden: usize,
    /// Layers.
    pub(super) layers: usize,
    /// How attention splits a token.
    pub(super) heads: Heads,
    /// Values per token inside the feed-forward part.
    pub(super) intermediate: usize,
    /// Rows of the token table.
    pub(super) vocabulary: usize,
    /// Rows of the position table.
    pub(super) positions: usize,
    /// The position of a text's first token.
    pub(super) first_position: usize,
    /// Rows of the token type table.
    pub(super) types: usize,
    /// Epsilon of layer norms.
    pub(super) epsilon: f32,
    /// The activation.
    pub(super) activation: Finish,
}

impl Architecture {
    pub(super) fn read(files: &Files, modules: &Modules) -> Result<Self, ModelError> {
        let name = modules.transformer_file("config.json");
        let raw: Raw = files.json(&name)?;
        let refused = |problem: String| ModelError::refused(name.clone(), problem);
        check_bounds(&raw).map_err(&refused)?;
        let activation = activation(&raw.hidden_act).map_err(&refused)?;
        if !matches!(raw.position_embedding_type.as_deref(), None | Some("absolute")) {
            let asked = raw.position_embedding_type.unwrap_or_default();
            return Err(refused(format!("has position_embedding_type {asked:?}; only \"absolute\" is supported")));
        }
        // RoBERTa counts positions from after the padding token's.
        let first_position = match raw.model_type.as_deref().unwrap_or("bert") {
            "bert" => 0,
            "roberta" | "xlm-roberta" | "camembert" => raw.pad_token_id.unwrap_or(1) + 1,
            other => {
                return Err(refused(format!(
                    "has model_type {other:?}; bert, roberta, xlm-roberta and camembert are supported"
                )));
            }
        };
        if first_position >= raw.max_position_embeddings {
            return Err(refused(format!(
                "has pad_token_id {first_position} but only {} positions",
                raw.max_position_embeddings
            )));
        }
        let heads = Heads { count: raw.num_attention_heads, dimension: raw.hidden_size / raw.num_attention_heads };
        Ok(Self {
            hidden: raw.hidden_size,
            layers: raw.num_hidden_layers,
            heads,
            intermediate: raw.intermediate_size,
            vocabulary: raw.vocab_size,
            positions: raw.max_position_embeddings,
            first_position,
            types: raw.type_vocab_size,
            epsilon: raw.layer_norm_eps,
            activation,
        })
    }

    /// Maximum tokens per text that have positions.
    pub(super) const fn longest(&self) -> usize {
        self.positions - self.first_position
    }
}

fn check_bounds(raw: &Raw) -> Result<(), String> {
    let bounds = [
        ("hidden_size", raw.hidden_size, 4_096),
        ("num_hidden_layers", raw.num_hidden_layers, 128),
        ("num_attention_heads", raw.num_attention_heads, 256),
        ("intermediate_size", raw.intermediate_size, 65_536),
        ("vocab_size", raw.vocab_size, 4_000_000),
        ("max_position_embeddings", raw.max_position_embeddings, 65_536),
        ("type_vocab_size", raw.type_vocab_size, 1_024),
    ];
    for (key, value, most) in bounds {
        if !(1..=most).contains(&value) {
            return Err(format!("has {key} {value}; 1 to {most} are allowed"));
        }
    }
    if !raw.hidden_size.is_multiple_of(raw.num_attention_heads) {
        return Err(format!(
            "has hidden_size {}, which {} heads cannot share evenly",
            raw.hidden_size, raw.num_attention_heads
        ));
    }
    if !(raw.layer_norm_eps > 0.0 && raw.layer_norm_eps < 1.0) {
        return Err(format!("has layer_norm_eps {}; more than 0 and less than 1 is allowed", raw.layer_norm_eps));
    }
    Ok(())
}

fn activation(name: &str) -> Result<Finish, String> {
    match name {
        "gelu" | "gelu_python" => Ok(Finish::Gelu),
        "gelu_new" | "gelu_fast" | "gelu_pytorch_tanh" | "gelu_approximate" => Ok(Finish::GeluTanh),
        "relu" => Ok(Finish::Relu),
        other => Err(format!(
            "has hidden_act {other:?}; gelu, gelu_new, gelu_fast, gelu_pytorch_tanh and relu are supported"
        )),
    }
}
