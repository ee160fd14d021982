//! Encrypts written bytes into an envelope.

use std::fmt;
use std::io::{self, Write};

use age::Encryptor;
use age::stream::StreamWriter;

use super::Recipients;

/// An envelope being written. Complete only once [`finish`](Self::finish) has returned.
pub struct EnvelopeWriter<W: Write>(StreamWriter<W>);

impl<W: Write> EnvelopeWriter<W> {
    /// Starts an envelope for the recipients. Fails if there are none.
    pub fn new(out: W, recipients: &Recipients) -> io::Result<Self> {
        let recipients = recipients.0.iter().map(|recipient| &**recipient as &dyn age::Recipient);
        let encryptor = Encryptor::with_recipients(recipients).map_err(|error| io::Error::other(error.to_string()))?;
        Ok(Self(encryptor.wrap_output(out)?))
    }

    /// Writes the end and returns the inner writer.
    pub fn finish(self) -> io::Result<W> {
        self.0.finish()
    }
}

impl<W: Write> Write for EnvelopeWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl<W: Write> fmt::Debug for EnvelopeWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EnvelopeWriter").finish_non_exhaustive()
    }
}
