//! Space that operations work in, kept between calls so that none of them allocates.

/// Working space of one thread. It grows to what the largest call needed.
#[derive(Debug, Default)]
pub struct Scratch {
    /// Rows of a tile, transposed.
    pub(crate) pack: Vec<f32>,
    /// Rows of a tile, quantized and transposed.
    pub(crate) words: Vec<i32>,
    /// Keys of one head of one text, in panels.
    pub(crate) keys: Vec<f32>,
    /// Values of one head of one text, in panels.
    pub(crate) values: Vec<f32>,
    /// Scores of a tile's rows.
    pub(crate) scores: Vec<f32>,
}

impl Scratch {
    /// Empty space.
    pub fn new() -> Self {
        Self::default()
    }
}

/// The first `length` places of a buffer that is grown if it is shorter; what they hold is left.
pub(crate) fn grown<T: Copy + Default>(buffer: &mut Vec<T>, length: usize) -> &mut [T] {
    if buffer.len() < length {
        buffer.resize(length, T::default());
    }
    &mut buffer[..length]
}
