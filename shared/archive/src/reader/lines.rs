//! Reads the lines of a piece.

use std::io::{BufRead as _, Read};

use sha2::{Digest as _, Sha256};

use super::{AttachmentLine, Reader, State, Step, fits};
use crate::Section;
use crate::error::ArchiveError;
use crate::header;

impl<R: Read> Reader<R> {
    /// Reads the next line of the piece. The line must end within the piece.
    pub(super) fn next_line(&mut self) -> Result<Step, ArchiveError> {
        let State::Piece { left, .. } = &mut self.state else { return Ok(Step::On) };
        let begins = self.tally.at;
        self.line.clear();
        loop {
            if *left == 0 {
                return Err(ArchiveError::damaged(begins, "the last line of a piece has no end"));
            }
            let buffer = self.input.fill_buf()?;
            if buffer.is_empty() {
                return Err(ArchiveError::Cut { at: self.tally.at });
            }
            let most = usize::try_from(*left).unwrap_or(usize::MAX).min(buffer.len());
            let end = buffer[..most].iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(most, |end| end + 1);
            self.line.extend_from_slice(&buffer[..taken]);
            self.tally.content(&buffer[..taken]);
            self.input.consume(taken);
            *left -= taken as u64;
            if end.is_some() {
                self.line.pop();
                break;
            }
            if !fits(self.line.len()) {
                return Err(ArchiveError::too_long(begins));
            }
        }
        if !fits(self.line.len()) {
            return Err(ArchiveError::too_long(begins));
        }
        self.tally.count().items += 1;
        if self.tally.current == Section::Attachments { self.attachment(begins) } else { Ok(Step::Line) }
    }

    /// Handles the line of an attachment, which must be alone in its piece. The bytes follow in the next member.
    fn attachment(&mut self, begins: u64) -> Result<Step, ArchiveError> {
        let State::Piece { size, left } = self.state else { return Ok(Step::On) };
        if left > 0 {
            return Err(ArchiveError::damaged(begins, "a piece of attachments holds more than a line"));
        }
        let line = std::str::from_utf8(&self.line).unwrap_or_default();
        let about = AttachmentLine::read(line).map_err(|what| ArchiveError::damaged(begins, what))?;
        self.padding(size)?;
        let at = self.tally.at;
        let block = self.block()?.ok_or(ArchiveError::Cut { at })?;
        let damaged = || ArchiveError::damaged(at, "a header was changed");
        let (name, size) = header::decode(&block).ok_or_else(damaged)?;
        if name != about.member() {
            return Err(ArchiveError::Order { at, found: name, expected: about.member() });
        }
        if size != about.size_bytes {
            return Err(ArchiveError::damaged(at, "an attachment does not have the size in its line"));
        }
        self.tally.passed(&block);
        self.state = State::Blob { about, left: size, hash: Sha256::new() };
        Ok(Step::Attachment)
    }
}
