//! Bounds on unauthenticated input. They are needed because age holds a whole header and a whole armored line in
//! memory, and reparses a header from its start with each line.

use std::io::{self, BufRead, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{ARMORED, EnvelopeError, MAX_HEADER_BYTES, MAX_HEADER_LINES};

/// Maximum length of a line in an armored envelope. Valid lines have 64 characters and a line end.
const MAX_LINE_BYTES: usize = 128;

fn too_long() -> io::Error {
    EnvelopeError::TooLong.into_io()
}

/// Fails on an overlong line if the input starts like an armored envelope.
pub(super) struct ShortLines<R> {
    input: R,
    is_armored: Option<bool>,
    line: usize,
}

impl<R: Read> ShortLines<R> {
    pub(super) const fn new(input: R) -> Self {
        Self { input, is_armored: None, line: 0 }
    }
}

impl<R: Read> Read for ShortLines<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(into)?;
        let bytes = &into[..read];
        // No other format that age reads starts with this byte.
        if !*self.is_armored.get_or_insert(bytes.first() == ARMORED.first()) {
            return Ok(read);
        }
        for byte in bytes {
            self.line = if *byte == b'\n' { 0 } else { self.line + 1 };
            if self.line > MAX_LINE_BYTES {
                return Err(too_long());
            }
        }
        Ok(read)
    }
}

/// Fails after this many bytes or lines, unless the flag says that the header has been read.
pub(super) struct ShortHeader<R> {
    input: R,
    left: usize,
    lines: usize,
    is_passed: Arc<AtomicBool>,
}

impl<R: BufRead> ShortHeader<R> {
    /// Returns the reader and the flag to set once the header has been read.
    pub(super) fn new(input: R) -> (Self, Arc<AtomicBool>) {
        let is_passed = Arc::new(AtomicBool::new(false));
        (Self { input, left: MAX_HEADER_BYTES, lines: 0, is_passed: Arc::clone(&is_passed) }, is_passed)
    }
}

impl<R: BufRead> BufRead for ShortHeader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.is_passed.load(Ordering::Relaxed) {
            return self.input.fill_buf();
        }
        let buffer = self.input.fill_buf()?;
        if !buffer.is_empty() && (self.left == 0 || self.lines > MAX_HEADER_LINES) {
            return Err(too_long());
        }
        Ok(&buffer[..buffer.len().min(self.left)])
    }

    fn consume(&mut self, amount: usize) {
        if !self.is_passed.load(Ordering::Relaxed)
            && let Ok(buffer) = self.input.fill_buf()
        {
            self.lines += buffer.iter().take(amount).filter(|byte| **byte == b'\n').count();
            self.left = self.left.saturating_sub(amount);
        }
        self.input.consume(amount);
    }
}

impl<R: BufRead> Read for ShortHeader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let buffer = self.fill_buf()?;
        let taken = buffer.len().min(into.len());
        into[..taken].copy_from_slice(&buffer[..taken]);
        self.consume(taken);
        Ok(taken)
    }
}
