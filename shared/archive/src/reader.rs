//! Reads an archive as a stream and verifies every byte. Content may be used only after the end was reached, since
//! counts and hashes come last.

use std::io::{BufReader, Read};

use sha2::{Digest as _, Sha256};

use crate::error::ArchiveError;
use crate::header::{self, BLOCK};
use crate::manifest::Manifest;
use crate::tally::{Tally, hex};
use crate::{HEAD, MANIFEST, MAX_LINE_BYTES, Section, VERSION};

mod attachment;
mod lines;

pub(crate) use attachment::AttachmentLine;

/// Maximum size in bytes of the first member and of the manifest.
const MOST_OF_ITS_OWN: u64 = 64 << 10;

/// Returns the text of the first member.
pub(crate) fn head_text() -> String {
    format!("{{\"format\":\"kimberly-archive\",\"version\":{VERSION}}}\n")
}

/// The next element of an archive.
#[derive(Debug, PartialEq, Eq)]
pub enum Item<'a> {
    /// A line of a section, without its line end.
    Line(Section, &'a str),
    /// The line of an attachment. [`Reader::read_attachment`] returns its bytes; unread bytes are skipped, but still
    /// verified.
    Attachment(&'a str),
}

/// An archive being read.
#[derive(Debug)]
pub struct Reader<R> {
    input: BufReader<R>,
    tally: Tally,
    state: State,
    line: Vec<u8>,
    manifest: Option<Manifest>,
}

/// The reader's position within the archive.
#[derive(Debug)]
enum State {
    /// Before the header of a member.
    Between,
    /// In a piece of lines, with `left` bytes remaining.
    Piece { size: u64, left: u64 },
    /// In the bytes of an attachment.
    Blob { about: AttachmentLine, left: u64, hash: Sha256 },
    /// At the end.
    Done,
}

/// The outcome of a step.
enum Step {
    Line,
    Attachment,
    On,
    /// The input ends between two members.
    Ended,
    Done,
}

impl<R: Read> Reader<R> {
    /// Reads the first member, which holds the format and its version.
    pub fn new(input: R) -> Result<Self, ArchiveError> {
        let input = BufReader::with_capacity(1 << 16, input);
        let state = State::Between;
        let mut reader = Self { input, tally: Tally::new(), state, line: Vec::new(), manifest: None };
        let mut block = [0; BLOCK];
        let found = reader.some(&mut block)?;
        if !crate::is_archive(&block[..found]) {
            return Err(ArchiveError::NotAnArchive);
        }
        if found < BLOCK {
            return Err(ArchiveError::Cut { at: found as u64 });
        }
        let (_, size) = header::decode(&block).ok_or_else(|| ArchiveError::damaged(0, "a header was changed"))?;
        reader.tally.passed(&block);
        let text = reader.own(size)?;
        if text != head_text().as_bytes() {
            return Err(other_head(&text));
        }
        reader.tally.passed(&text);
        reader.padding(size)?;
        Ok(reader)
    }

    /// Returns the next line or attachment. Returns `None` at the end, once everything matched the manifest.
    pub fn next_item(&mut self) -> Result<Option<Item<'_>>, ArchiveError> {
        let step = loop {
            match self.step()? {
                Step::On => {}
                Step::Ended => return Err(ArchiveError::Cut { at: self.tally.at }),
                other => break other,
            }
        };
        if matches!(step, Step::Done) {
            return Ok(None);
        }
        let at = self.tally.at;
        let line = std::str::from_utf8(&self.line);
        let line = line.map_err(|_| ArchiveError::damaged(at, "the line before it is not UTF-8 text"))?;
        Ok(Some(match step {
            Step::Attachment => Item::Attachment(line),
            _ => Item::Line(self.tally.current, line),
        }))
    }

    /// Reads more bytes of the last attachment. Returns 0 at its end.
    pub fn read_attachment(&mut self, into: &mut [u8]) -> Result<usize, ArchiveError> {
        let State::Blob { about, left, hash } = &mut self.state else { return Ok(0) };
        if *left > 0 && !into.is_empty() {
            let most = usize::try_from(*left).unwrap_or(usize::MAX).min(into.len());
            let read = self.input.read(&mut into[..most])?;
            if read == 0 {
                return Err(ArchiveError::Cut { at: self.tally.at });
            }
            *left -= read as u64;
            hash.update(&into[..read]);
            self.tally.content(&into[..read]);
            return Ok(read);
        }
        if *left > 0 {
            return Ok(0);
        }
        if hex(hash.clone()) != about.sha256 {
            return Err(ArchiveError::damaged(
                self.tally.at - about.size_bytes,
                "an attachment does not have the hash in its name",
            ));
        }
        let size = about.size_bytes;
        self.state = State::Between;
        self.padding(size)?;
        Ok(0)
    }

    /// Returns the manifest, once [`next_item`](Self::next_item) has reached the end.
    pub const fn manifest(&self) -> Option<&Manifest> {
        self.manifest.as_ref()
    }

    /// Reads to the end of an incomplete archive, which must end after a piece.
    pub(crate) fn into_tally(mut self) -> Result<Tally, ArchiveError> {
        loop {
            match self.step()? {
                Step::Ended => return Ok(self.tally),
                Step::Done => {
                    let what = "data after the end of an archive".to_owned();
                    return Err(ArchiveError::Unwritable { what });
                }
                _ => {}
            }
        }
    }

    fn step(&mut self) -> Result<Step, ArchiveError> {
        match self.state {
            State::Done => Ok(Step::Done),
            State::Between => self.member(),
            State::Piece { left: 0, size } => {
                self.state = State::Between;
                self.padding(size)?;
                Ok(Step::On)
            }
            State::Piece { .. } => self.next_line(),
            State::Blob { .. } => {
                let mut chunk = [0; 8 << 10];
                while self.read_attachment(&mut chunk)? > 0 {}
                Ok(Step::On)
            }
        }
    }

    /// Reads the header of a member and moves into that member.
    fn member(&mut self) -> Result<Step, ArchiveError> {
        let at = self.tally.at;
        let Some(block) = self.block()? else { return Ok(Step::Ended) };
        let damaged = || ArchiveError::damaged(at, "a header was changed");
        let (name, size) = header::decode(&block).ok_or_else(damaged)?;
        if name == MANIFEST {
            return self.end(size);
        }
        let section = name.split_once('/').and_then(|(folder, _)| Section::from_name(folder));
        let Some(section) = section else { return Err(ArchiveError::Unknown { at, name }) };
        if section < self.tally.current {
            let expected = format!("{} or a later section", self.tally.current);
            return Err(ArchiveError::Order { at, found: name, expected });
        }
        self.tally.current = section;
        let number = self.tally.count().pieces + 1;
        let expected = section.piece(number);
        if name != expected {
            return Err(ArchiveError::Order { at, found: name, expected });
        }
        if size == 0 {
            return Err(ArchiveError::damaged(at, "a piece holds no line"));
        }
        self.tally.passed(&block);
        self.tally.count().pieces = number;
        self.state = State::Piece { size, left: size };
        Ok(Step::On)
    }

    /// Reads the manifest and the tar's end-of-archive blocks.
    fn end(&mut self, size: u64) -> Result<Step, ArchiveError> {
        let expected = self.tally.manifest();
        self.tally.at += BLOCK as u64;
        let text = self.own(size)?;
        if text != expected.text()?.as_bytes() {
            return Err(ArchiveError::Manifest { what: expected.differs(&text) });
        }
        self.tally.passed(&text);
        self.padding(size)?;
        self.zeros(2 * BLOCK)?;
        let mut more = [0];
        if self.some(&mut more)? > 0 {
            return Err(ArchiveError::damaged(self.tally.at, "there is data after its end"));
        }
        (self.state, self.manifest) = (State::Done, Some(expected));
        Ok(Step::Done)
    }

    /// Reads the content of a member without lines: the first member or the manifest.
    fn own(&mut self, size: u64) -> Result<Vec<u8>, ArchiveError> {
        if size > MOST_OF_ITS_OWN {
            return Err(ArchiveError::damaged(self.tally.at, "a member is too long"));
        }
        let mut text = vec![0; usize::try_from(size).unwrap_or_default()];
        self.fill(&mut text)?;
        Ok(text)
    }

    fn padding(&mut self, size: u64) -> Result<(), ArchiveError> {
        self.zeros(header::padding(size))
    }

    fn zeros(&mut self, count: usize) -> Result<(), ArchiveError> {
        let mut zeros = [0; 2 * BLOCK];
        let zeros = &mut zeros[..count];
        self.fill(zeros)?;
        if zeros.iter().any(|byte| *byte != 0) {
            return Err(ArchiveError::damaged(self.tally.at, "the padding of a member is not zero"));
        }
        self.tally.passed(zeros);
        Ok(())
    }

    /// Reads a header. Returns `None` at the end of the input.
    fn block(&mut self) -> Result<Option<[u8; BLOCK]>, ArchiveError> {
        let mut block = [0; BLOCK];
        match self.some(&mut block)? {
            0 => Ok(None),
            BLOCK => Ok(Some(block)),
            found => Err(ArchiveError::Cut { at: self.tally.at + found as u64 }),
        }
    }

    /// Fills the buffer completely.
    fn fill(&mut self, into: &mut [u8]) -> Result<(), ArchiveError> {
        let found = self.some(into)?;
        if found < into.len() { Err(ArchiveError::Cut { at: self.tally.at + found as u64 }) } else { Ok(()) }
    }

    /// Fills the buffer as far as the input goes. Returns the number of bytes read.
    fn some(&mut self, into: &mut [u8]) -> Result<usize, ArchiveError> {
        let mut found = 0;
        while found < into.len() {
            match self.input.read(&mut into[found..]) {
                Ok(0) => break,
                Ok(read) => found += read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(found)
    }
}

/// Creates the error for a first member of another format or version.
fn other_head(text: &[u8]) -> ArchiveError {
    let head: serde_json::Value = serde_json::from_slice(text).unwrap_or_default();
    let is_named = head.get("format").and_then(serde_json::Value::as_str) == Some("kimberly-archive");
    match head.get("version").and_then(serde_json::Value::as_u64) {
        Some(found) if is_named && found > VERSION => ArchiveError::Newer { found },
        _ => ArchiveError::damaged(BLOCK as u64, format!("{HEAD} was changed")),
    }
}

/// Reports whether a line of this length is within the bound.
const fn fits(bytes: usize) -> bool {
    bytes <= MAX_LINE_BYTES
}
