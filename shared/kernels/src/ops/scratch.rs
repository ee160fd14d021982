//! Working buffers, reused between calls so that operations do not allocate.

/// Working buffers of one thread. They grow to the largest call.
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
    /// Empty buffers.
    pub fn new() -> Self {
        Self::default()
    }
}

/// The first `length` elements of a buffer, which grows if needed; existing content is kept.
pub(crate) fn grown<T: Copy + Default>(buffer: &mut Vec<T>, length: usize) -> &mut [T] {
    if buffer.len() < length {
        buffer.resize(length, T::default());
    }
    &mut buffer[..length]
}
