//! A cross-encoder: reads a query and a text together, and scores how well the text answers the query. A network of the
//! BERT family with a classifier of one label on its first token.

use std::fmt;
use std::path::Path;

use kimberly_kernels::{Finish, Linear};

use super::architecture::Architecture;
use super::bert::Bert;
use super::files::{Files, WEIGHTS};
use super::modules::Modules;
use super::tensors::Tensors;
use super::tokenize::Tokens;
use super::{ModelError, Options, Precision, Workspace, folder_name};

/// The tokens of a query and a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The tokens.
    pub tokens: Vec<u32>,
    /// The position of the first token of the text; the number of tokens if the model does not distinguish them.
    pub text_from: usize,
}

/// A cross-encoder, usable from any number of threads at once.
pub struct CrossEncoder {
    name: String,
    precision: Precision,
    bert: Bert,
    head: Head,
    tokens: Tokens,
}

impl CrossEncoder {
    /// Opens and validates the cross-encoder in a folder.
    pub fn open(folder: &Path, options: &Options) -> Result<Self, ModelError> {
        let files = Files::read(folder)?;
        let modules = Modules::of_network();
        let architecture = Architecture::read(&files, &modules)?;
        let tokens = Tokens::read(&files, &modules, &architecture, 2)?;
        let weights = files.into_weights();
        let tensors = Tensors::open(&weights)?;
        let head = Head::load(&tensors, architecture.hidden, options)?;
        let bert = Bert::load(&tensors, &architecture, options)?;
        Ok(Self { name: folder_name(folder), precision: options.precision, bert, head, tokens })
    }

    /// The name of its folder.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The precision of the network's weights; those of the classifier are 32-bit floats.
    pub const fn precision(&self) -> Precision {
        self.precision
    }

    /// Maximum tokens of a query and a text together, special tokens included.
    pub const fn window(&self) -> usize {
        self.tokens.window()
    }

    /// Size of the weights in memory, in bytes.
    pub fn bytes(&self) -> usize {
        self.bert.bytes() + self.head.dense.bytes()
    }

    /// The tokens of a query and a text. Beyond the window, the longer of them loses its end first.
    pub fn tokenize(&self, query: &str, text: &str) -> Result<Pair, ModelError> {
        let (tokens, text_from) = self.tokens.of_pair(query, text)?;
        Ok(Pair { tokens, text_from })
    }

    /// The scores of pairs, in order; a higher one is a better text. They are comparable for one query only.
    pub fn score(&self, pairs: &[Pair], workspace: &mut Workspace) -> Result<Vec<f32>, ModelError> {
        if pairs.is_empty() {
            return Ok(Vec::new());
        }
        let lengths: Vec<usize> = pairs.iter().map(|pair| pair.tokens.len()).collect();
        let text_from: Vec<usize> = pairs.iter().map(|pair| pair.text_from).collect();
        let tokens: Vec<u32> = pairs.iter().flat_map(|pair| pair.tokens.iter().copied()).collect();
        let x = self.bert.encode(&tokens, &lengths, Some(&text_from), workspace)?;
        let width = self.head.weights.len();
        let starts = lengths.iter().scan(0, |end, length| Some(std::mem::replace(end, *end + length * width)));
        let rows: Vec<f32> = starts.flat_map(|start| x[start..start + width].iter().copied()).collect();
        let scores = self.head.scores(&rows, workspace);
        if scores.iter().all(|score| score.is_finite()) {
            Ok(scores)
        } else {
            Err(ModelError::Compute("the cross-encoder gave a score that is not finite".to_owned()))
        }
    }
}

/// Omits the weights.
impl fmt::Debug for CrossEncoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CrossEncoder({}, {})", self.name, self.precision.name())
    }
}

/// The classifier on the first token: a linear layer, tanh, and a linear layer with one output.
struct Head {
    dense: Linear,
    weights: Vec<f32>,
    bias: f32,
}

impl Head {
    fn load(tensors: &Tensors<'_>, hidden: usize, options: &Options) -> Result<Self, ModelError> {
        let of_roberta = tensors.shape("classifier.out_proj.weight").is_some();
        let out = if of_roberta { "classifier.out_proj" } else { "classifier" };
        let shape = tensors.shape(&format!("{out}.weight")).ok_or_else(|| {
            let lack = "has no classifier.weight; a cross-encoder is a model for the classification of sequences";
            ModelError::refused(WEIGHTS, lack)
        })?;
        if shape != [1, hidden] {
            let problem = format!("has {out}.weight of shape {shape:?}; a cross-encoder has one label: [1, {hidden}]");
            return Err(ModelError::refused(WEIGHTS, problem));
        }
        let (dense, dense_bias) = if of_roberta {
            tensors.outer_linear("classifier.dense", hidden, hidden)?
        } else {
            tensors.linear("pooler.dense", hidden, hidden)?
        };
        let dense = Linear::float(options.cpu, &dense, &dense_bias)
            .ok_or_else(|| ModelError::Compute("the classifier's weights and bias do not fit each other".to_owned()))?;
        let (weights, bias) = tensors.outer_linear(out, 1, hidden)?;
        Ok(Self { dense, weights, bias: bias.iter().sum() })
    }

    /// The score of each row.
    fn scores(&self, rows: &[f32], workspace: &mut Workspace) -> Vec<f32> {
        let mut inner = vec![0.0; rows.len()];
        self.dense.apply(rows, Finish::Store, &mut inner, &mut workspace.scratch);
        let score = |row: &[f32]| row.iter().zip(&self.weights).map(|(x, weight)| x.tanh() * weight).sum::<f32>();
        inner.chunks_exact(self.weights.len()).map(|row| score(row) + self.bias).collect()
    }
}
