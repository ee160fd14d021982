//! The file of trained weights: a header, a table that finds the row of a feature, and rows of small integers.

use std::borrow::Cow;

use super::features::Group;
use super::labels::{Head, OUTPUTS};
use super::tokens::mix;

/// First bytes of the file; the last one is the version of its format.
const MAGIC: &[u8; 8] = b"KJUDGE\0\x01";
/// Rows among which a feature may have its own.
pub const WAYS: usize = 4;
/// Outputs that the second look changes: all but slots.
pub const LOOKED: usize = Head::Slot.start();
/// How many sentences the second look sees: the sentence, the one before, the one after, the paragraph, the message.
pub const VIEWS: usize = 5;

/// Why a file of weights cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeightsError {
    /// It is another kind of file, or of another version.
    #[error("not weights of this version; train them again")]
    Format,
    /// It ends too early or too late, or is for other labels.
    #[error("weights for other labels, or cut off; train them again")]
    Size,
}

/// What the weights were made from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// SHA-256 of the corpus.
    pub corpus: [u8; 32],
    /// SHA-256 of the sources of features and trainer.
    pub trainer: [u8; 32],
}

/// Numbers of the model that are few, so not made small.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dense {
    /// What one step of an integer is worth, per output.
    pub steps: Vec<f32>,
    /// Added to each output.
    pub biases: Vec<f32>,
    /// The second look: a row of inputs per output, the last input is always one.
    pub second: Vec<f32>,
    /// How outputs become probabilities: a factor and a summand per head.
    pub calibration: Vec<f32>,
    /// Probabilities from which a sentence is surely, or perhaps, worth keeping, is momentary, and is sensitive.
    pub thresholds: Vec<f32>,
}

/// Trained weights.
#[derive(Clone, Debug)]
pub struct Weights {
    /// What they were made from.
    pub origin: Origin,
    /// Numbers that are few.
    pub dense: Dense,
    /// Checks of the features that have the rows, two bytes each; zero means none.
    pub checks: Cow<'static, [u8]>,
    /// Signed bytes, a row of outputs per feature.
    pub rows: Cow<'static, [u8]>,
}

impl Weights {
    /// The number of rows.
    pub fn capacity(&self) -> usize {
        self.checks.len() / 2
    }

    /// The row of a feature, if it has one.
    pub fn row(&self, hash: u64) -> Option<&[u8; OUTPUTS]> {
        let (first, check) = place_of(hash, self.capacity());
        let found = self.checks.get(first * 2..(first + WAYS) * 2)?;
        let way = found.chunks_exact(2).position(|stored| stored == check)?;
        let begin = (first + way) * OUTPUTS;
        self.rows.get(begin..)?.first_chunk()
    }

    /// Reads a file.
    pub fn from_bytes(bytes: &'static [u8]) -> Result<Self, WeightsError> {
        let mut reader = Reader { bytes };
        if reader.take(MAGIC.len())? != MAGIC {
            return Err(WeightsError::Format);
        }
        let mut origin = Origin::default();
        origin.corpus.copy_from_slice(reader.take(32)?);
        origin.trainer.copy_from_slice(reader.take(32)?);
        let (outputs, capacity) = (reader.size()?, reader.size()?);
        if outputs != OUTPUTS || capacity % WAYS != 0 || capacity == 0 {
            return Err(WeightsError::Size);
        }
        let dense = Dense {
            steps: reader.floats(outputs)?,
            biases: reader.floats(outputs)?,
            second: reader.floats(LOOKED * (LOOKED * VIEWS + 1))?,
            calibration: reader.floats(Head::ALL.len() * 2)?,
            thresholds: reader.floats(4)?,
        };
        let checks = Cow::Borrowed(reader.take(capacity * 2)?);
        let rows = Cow::Borrowed(reader.take(capacity * outputs)?);
        if !reader.bytes.is_empty() {
            return Err(WeightsError::Size);
        }
        Ok(Self { origin, dense, checks, rows })
    }

    /// The file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(self.origin.corpus);
        bytes.extend(self.origin.trainer);
        for size in [OUTPUTS, self.capacity()] {
            bytes.extend(u32::try_from(size).unwrap_or(u32::MAX).to_le_bytes());
        }
        let Dense { steps, biases, second, calibration, thresholds } = &self.dense;
        for floats in [steps, biases, second, calibration, thresholds] {
            bytes.extend(floats.iter().flat_map(|float| float.to_le_bytes()));
        }
        bytes.extend_from_slice(&self.checks);
        bytes.extend_from_slice(&self.rows);
        bytes
    }
}

/// The first of the rows that a feature may have, and its check.
pub fn place_of(hash: u64, capacity: usize) -> (usize, [u8; 2]) {
    let mixed = mix(hash, 77);
    let [low, high, .., a, b, c] = mixed.to_le_bytes();
    let bucket = u32::from_le_bytes([a, b, c, 0]) as usize % (capacity / WAYS).max(1);
    (bucket * WAYS, [low.max(1), high])
}

/// The factor of a feature whose group has so many of them in the sentence.
pub fn factor(group: Group, count: usize) -> f32 {
    let count = u16::try_from(count.max(1)).unwrap_or(u16::MAX);
    let root = libm::sqrtf(f32::from(count));
    match group {
        Group::Form => 0.6,
        Group::Words => 0.8 / root,
        Group::Pairs => 1.1 / root,
        Group::Letters => 1.0 / root,
        Group::Around => 0.4 / root,
    }
}

struct Reader {
    bytes: &'static [u8],
}

impl Reader {
    fn take(&mut self, count: usize) -> Result<&'static [u8], WeightsError> {
        let (taken, rest) = self.bytes.split_at_checked(count).ok_or(WeightsError::Size)?;
        self.bytes = rest;
        Ok(taken)
    }

    fn size(&mut self) -> Result<usize, WeightsError> {
        Ok(self.take(4)?.iter().rev().fold(0, |size, byte| size << 8 | usize::from(*byte)))
    }

    fn floats(&mut self, count: usize) -> Result<Vec<f32>, WeightsError> {
        let floats = self.take(count * 4)?.as_chunks().0.iter();
        Ok(floats.map(|four| f32::from_le_bytes(*four)).collect())
    }
}
