//! gRPC framing: a compression flag, the length and the message.

use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};
use prost_reflect::DynamicMessage;
use prost_reflect::prost::Message as _;

const HEADER: usize = 5;

/// Writes a message as a frame.
pub(crate) fn encode(message: &DynamicMessage) -> Bytes {
    let length = message.encoded_len();
    let mut frame = BytesMut::with_capacity(HEADER + length);
    frame.put_u8(0);
    frame.put_u32(u32::try_from(length).unwrap_or(u32::MAX));
    // The buffer has room for the whole message, so encoding cannot fail.
    let _ = message.encode(&mut frame);
    frame.freeze()
}

/// Splits incoming bytes into messages.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    gathered: BytesMut,
}

impl Frames {
    pub(crate) fn push(&mut self, data: &[u8]) {
        self.gathered.extend_from_slice(data);
    }

    /// Returns the next complete message. Fails if it is compressed, since compression was not requested.
    pub(crate) fn next(&mut self) -> Result<Option<Bytes>, &'static str> {
        let Some((header, rest)) = self.gathered.split_first_chunk::<HEADER>() else { return Ok(None) };
        let [compressed, length @ ..] = *header;
        if compressed != 0 {
            return Err("an answer is compressed");
        }
        let length = u32::from_be_bytes(length) as usize;
        if rest.len() < length {
            return Ok(None);
        }
        self.gathered.advance(HEADER);
        Ok(Some(self.gathered.split_to(length).freeze()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_out_whole_however_they_arrive() {
        let mut frames = Frames::default();
        for byte in [0, 0, 0, 0, 2, 7, 8, 0, 0, 0, 0, 0, 0] {
            frames.push(&[byte]);
        }
        assert_eq!(frames.next().unwrap().unwrap(), &[7, 8][..]);
        assert_eq!(frames.next().unwrap().unwrap(), &[][..]);
        assert_eq!(frames.next().unwrap(), None);
        frames.push(&[0, 0, 0, 1]);
        assert_eq!(frames.next().unwrap(), None, "the message is not there yet");
        let mut compressed = Frames::default();
        compressed.push(&[1, 0, 0, 0, 0]);
        assert!(compressed.next().is_err());
    }
}
