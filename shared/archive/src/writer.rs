//! Writes an archive as a stream, and resumes an incomplete one.

use std::io::{Read, Write};

use sha2::{Digest as _, Sha256};

use crate::error::ArchiveError;
use crate::header::{self, BLOCK};
use crate::reader::{AttachmentLine, Reader, head_text};
use crate::tally::{Tally, hex};
use crate::{HEAD, MANIFEST, MAX_LINE_BYTES, PIECE_BYTES, Section};

/// Bytes copied at a time.
const CHUNK: usize = 64 << 10;

/// An archive being written.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    tally: Tally,
    /// Complete lines that are not written yet.
    piece: Vec<u8>,
    lines: u64,
}

impl<W: Write> Writer<W> {
    /// Starts an archive.
    pub fn new(out: W) -> Result<Self, ArchiveError> {
        let mut writer = Self { out, tally: Tally::new(), piece: Vec::new(), lines: 0 };
        writer.member(HEAD, head_text().as_bytes(), Tally::passed)?;
        Ok(writer)
    }

    /// Resumes an archive. `before` holds its bytes so far, which must end where [`end_piece`](Self::end_piece)
    /// returned. `out` appends to them.
    pub fn resume(before: impl Read, out: W) -> Result<Self, ArchiveError> {
        let tally = Reader::new(before)?.into_tally()?;
        Ok(Self { out, tally, piece: Vec::new(), lines: 0 })
    }

    /// Adds a line, without its line end, to a section. Sections must come in order. Use
    /// [`attachment`](Self::attachment) for the lines of attachments.
    pub fn line(&mut self, section: Section, line: &str) -> Result<(), ArchiveError> {
        if line.len() > MAX_LINE_BYTES {
            let what = format!("a line of {} bytes (at most {MAX_LINE_BYTES} are allowed)", line.len());
            return Err(ArchiveError::Unwritable { what });
        }
        if line.contains('\n') {
            return Err(ArchiveError::Unwritable { what: "a line that holds an end of line".to_owned() });
        }
        if section == Section::Attachments {
            return Err(ArchiveError::Unwritable { what: "an attachment without its bytes".to_owned() });
        }
        self.enter(section)?;
        self.piece.extend_from_slice(line.as_bytes());
        self.piece.push(b'\n');
        self.lines += 1;
        if self.piece.len() >= PIECE_BYTES { self.end_piece() } else { Ok(()) }
    }

    /// Adds an attachment: its line, a JSON object with at least `sha256` in hex and `sizeBytes`, and its bytes. Fails
    /// if the bytes do not match the line.
    pub fn attachment(&mut self, line: &str, content: &mut (impl Read + ?Sized)) -> Result<(), ArchiveError> {
        let about = AttachmentLine::read(line).map_err(|what| ArchiveError::Unwritable { what })?;
        self.enter(Section::Attachments)?;
        let number = self.tally.count().pieces + 1;
        self.member(&Section::Attachments.piece(number), format!("{line}\n").as_bytes(), Tally::content)?;
        let count = self.tally.count();
        (count.pieces, count.items) = (number, count.items + 1);
        self.header(&about.member(), about.size_bytes)?;
        let (mut left, mut hash, mut chunk) = (about.size_bytes, Sha256::new(), vec![0; CHUNK]);
        while left > 0 {
            let most = usize::try_from(left).unwrap_or(CHUNK).min(CHUNK);
            let read = content.read(&mut chunk[..most])?;
            if read == 0 {
                let what = format!("an attachment that lacks {left} of its {} bytes", about.size_bytes);
                return Err(ArchiveError::Unwritable { what });
            }
            hash.update(&chunk[..read]);
            self.tally.content(&chunk[..read]);
            self.out.write_all(&chunk[..read])?;
            left -= read as u64;
        }
        if hex(hash) != about.sha256 {
            return Err(ArchiveError::Unwritable { what: "an attachment whose bytes have another hash".to_owned() });
        }
        self.fill_up(about.size_bytes)
    }

    /// Writes the buffered lines as a piece of their section. The archive can be resumed from here.
    pub fn end_piece(&mut self) -> Result<(), ArchiveError> {
        if self.piece.is_empty() {
            return Ok(());
        }
        let number = self.tally.count().pieces + 1;
        let (piece, lines) = (std::mem::take(&mut self.piece), std::mem::take(&mut self.lines));
        self.member(&self.tally.current.piece(number), &piece, Tally::content)?;
        let count = self.tally.count();
        (count.pieces, count.items) = (number, count.items + lines);
        self.piece = piece;
        self.piece.clear();
        Ok(())
    }

    /// Returns the number of lines written to a section, without buffered ones.
    pub fn items(&self, section: Section) -> u64 {
        self.tally.items(section)
    }

    /// Returns the underlying writer.
    pub const fn out(&mut self) -> &mut W {
        &mut self.out
    }

    /// Writes the manifest and the end of the archive.
    pub fn finish(mut self) -> Result<W, ArchiveError> {
        self.end_piece()?;
        let text = self.tally.manifest().text()?;
        self.member(MANIFEST, text.as_bytes(), Tally::passed)?;
        self.out.write_all(&[0; 2 * BLOCK])?;
        Ok(self.out)
    }

    /// Makes `section` the current one. Ends the piece of the section before.
    fn enter(&mut self, section: Section) -> Result<(), ArchiveError> {
        let now = self.tally.current;
        if section < now {
            return Err(ArchiveError::Unwritable { what: format!("a line of {section} after those of {now}") });
        }
        if section > now {
            self.end_piece()?;
            self.tally.current = section;
        }
        Ok(())
    }

    /// Writes a complete member.
    fn member(&mut self, name: &str, content: &[u8], tell: fn(&mut Tally, &[u8])) -> Result<(), ArchiveError> {
        let size = content.len() as u64;
        self.header(name, size)?;
        tell(&mut self.tally, content);
        self.out.write_all(content)?;
        self.fill_up(size)
    }

    fn header(&mut self, name: &str, size: u64) -> Result<(), ArchiveError> {
        let too_large = || ArchiveError::Unwritable { what: format!("a member {name} of {size} bytes") };
        self.pass(&header::encode(name, size).ok_or_else(too_large)?)
    }

    fn fill_up(&mut self, size: u64) -> Result<(), ArchiveError> {
        self.pass(&[0; BLOCK][..header::padding(size)])
    }

    fn pass(&mut self, bytes: &[u8]) -> Result<(), ArchiveError> {
        self.tally.passed(bytes);
        Ok(self.out.write_all(bytes)?)
    }
}
