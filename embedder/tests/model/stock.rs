//! Stock Candle: unmodified `candle_transformers` models, one text at a time.

use std::path::Path;

use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config};
use candle_transformers::models::xlm_roberta;

/// How token vectors are pooled into one.
#[derive(Clone, Copy)]
pub(crate) enum Pool {
    Mean,
    Cls,
    Max,
}

enum Network {
    Bert(BertModel),
    Roberta(xlm_roberta::XLMRobertaModel),
}

/// A stock model.
pub(crate) struct Stock(Network);

impl Stock {
    pub(crate) fn open(folder: &Path) -> Self {
        let weights = std::fs::read(folder.join("model.safetensors")).unwrap();
        let weights = VarBuilder::from_buffered_safetensors(weights, DType::F32, &Device::Cpu).unwrap();
        let config = std::fs::read_to_string(folder.join("config.json")).unwrap();
        // Candle's names of activations.
        let config = config.replace("\"gelu_new\"", "\"geluapproximate\"");
        let network = if config.contains("roberta") {
            let config: xlm_roberta::Config = serde_json::from_str(&config).unwrap();
            Network::Roberta(xlm_roberta::XLMRobertaModel::new(&config, weights).unwrap())
        } else {
            let config: Config = serde_json::from_str(&config).unwrap();
            Network::Bert(BertModel::load(weights, &config).unwrap())
        };
        Self(network)
    }

    /// The normalized vector of one tokenized text.
    pub(crate) fn embed(&self, tokens: &[u32], pool: Pool) -> Vec<f32> {
        let ids = Tensor::new(tokens, &Device::Cpu).unwrap().unsqueeze(0).unwrap();
        let (types, mask) = (ids.zeros_like().unwrap(), ids.ones_like().unwrap());
        let out = match &self.0 {
            Network::Bert(model) => model.forward(&ids, &types, Some(&mask)).unwrap(),
            Network::Roberta(model) => model.forward(&ids, &mask, &types, None, None, None).unwrap(),
        };
        let rows = out.squeeze(0).unwrap();
        let pooled = match pool {
            Pool::Mean => rows.mean(0).unwrap(),
            Pool::Cls => rows.get(0).unwrap(),
            Pool::Max => rows.max(0).unwrap(),
        };
        let x: Vec<f32> = pooled.to_vec1().unwrap();
        let length = x.iter().map(|x| x * x).sum::<f32>().sqrt();
        x.into_iter().map(|x| x / length).collect()
    }
}
