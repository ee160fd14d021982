//! Decodes messages, and replaces each NUL in a text by a space: no database can store one, and a client that sends one
//! in a transcript must not lose the rest. This is the only place: JSON and MCP become messages, too.
//!
//! Names of users are left as they are, and are refused where they are checked. It must not change anything else.

use std::marker::PhantomData;

use bytes::Buf as _;
use prost::{Message, Name};
use tonic::Status;
use tonic::codec::{BufferSettings, DecodeBuf, Decoder};
use tonic_prost::{ProstDecoder, ProstEncoder};

/// A message's name, and its fields with texts: `None` for a text, else the index of the message in the field.
type Texts = (&'static str, &'static [(u64, Option<usize>)]);

/// Every message of the contract, sorted by name.
static MESSAGES: &[Texts] = include!("generated/texts.rs");

/// Messages in messages are read this deep, as by prost.
const DEPTH: usize = 100;

/// The codec of all services of the contract.
#[derive(Clone, Debug)]
pub(crate) struct Codec<T, U>(PhantomData<(T, U)>);

impl<T, U> Default for Codec<T, U> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T, U> tonic::codec::Codec for Codec<T, U>
where
    T: Message + Send + 'static,
    U: Message + Name + Default + Send + 'static,
{
    type Encode = T;
    type Decode = U;
    type Encoder = ProstEncoder<T>;
    type Decoder = WithoutNul<U>;

    fn encoder(&mut self) -> Self::Encoder {
        ProstEncoder::new(BufferSettings::default())
    }

    fn decoder(&mut self) -> Self::Decoder {
        WithoutNul(ProstDecoder::default())
    }
}

/// Decodes messages whose texts hold no NUL.
#[derive(Clone, Debug)]
pub(crate) struct WithoutNul<U>(ProstDecoder<U>);

impl<U: Message + Name + Default> Decoder for WithoutNul<U> {
    type Item = U;
    type Error = Status;

    fn decode(&mut self, buf: &mut DecodeBuf<'_>) -> Result<Option<U>, Status> {
        // Most messages contain no NUL at all, and others only in numbers and bytes.
        let found = memchr::memchr(0, buf.chunk()).is_some() && !nuls::<U>(buf.chunk()).is_empty();
        let message = self.0.decode(buf)?;
        Ok(if found { message.map(cleaned) } else { message })
    }

    fn buffer_settings(&self) -> BufferSettings {
        self.0.buffer_settings()
    }
}

/// Replaces the NULs in the texts of a message.
fn cleaned<U: Message + Name + Default>(message: U) -> U {
    let mut raw = message.encode_to_vec();
    for at in nuls::<U>(&raw) {
        if let Some(byte) = raw.get_mut(at) {
            *byte = b' ';
        }
    }
    U::decode(raw.as_slice()).unwrap_or(message)
}

/// Where the texts of an encoded message hold NULs. Empty for what is malformed, which decoding refuses.
fn nuls<U: Name>(raw: &[u8]) -> Vec<usize> {
    let mut found = Vec::new();
    let of = MESSAGES.binary_search_by_key(&U::full_name().as_str(), |(name, _)| *name);
    if let Ok(of) = of
        && gather(raw, 0, of, DEPTH, &mut found).is_none()
    {
        found.clear();
    }
    found
}

/// Gathers the NULs of a message that starts at `base`. Returns `None` if it is malformed.
fn gather(raw: &[u8], base: usize, of: usize, depth: usize, found: &mut Vec<usize>) -> Option<()> {
    let (_, fields) = MESSAGES.get(of)?;
    let mut at = 0;
    while at < raw.len() {
        let key = varint(raw, &mut at)?;
        match key & 7 {
            0 => {
                varint(raw, &mut at)?;
            }
            1 => at = at.checked_add(8)?,
            5 => at = at.checked_add(4)?,
            2 => {
                let length = usize::try_from(varint(raw, &mut at)?).ok()?;
                let end = at.checked_add(length)?;
                let inside = raw.get(at..end)?;
                match fields.iter().find(|(number, _)| *number == key >> 3) {
                    Some((_, None)) => found.extend(memchr::memchr_iter(0, inside).map(|nul| base + at + nul)),
                    Some((_, Some(inner))) => gather(inside, base + at, *inner, depth.checked_sub(1)?, found)?,
                    None => {}
                }
                at = end;
            }
            _ => return None,
        }
    }
    (at == raw.len()).then_some(())
}

fn varint(raw: &[u8], at: &mut usize) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let byte = *raw.get(*at)?;
        *at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use prost_types::value::Kind;
    use prost_types::{Struct, Value};

    use super::*;
    use crate::v1;

    fn request(text: &str, user: &str) -> v1::ObserveRequest {
        let value = |text: &str| Value { kind: Some(Kind::StringValue(text.to_owned())) };
        let attributes = Struct { fields: [(text.to_owned(), value(text))].into() };
        let message = v1::Message {
            id: text.to_owned(),
            content: text.to_owned(),
            time: Some(prost_types::Timestamp { seconds: 1 << 40, nanos: 0 }),
            attributes: Some(attributes),
            ..v1::Message::default()
        };
        let messages = vec![v1::Message::default(), message];
        v1::ObserveRequest { user_id: user.to_owned(), session_id: text.to_owned(), messages, ..Default::default() }
    }

    #[test]
    fn nul_in_any_text_becomes_a_space() {
        assert_eq!(cleaned(request("a\0b\0", "me")), request("a b ", "me"));
    }

    #[test]
    fn names_of_users_stay_as_they_are() {
        assert_eq!(cleaned(request("a", "m\0e")), request("a", "m\0e"));
        assert!(nuls::<v1::ObserveRequest>(&request("a", "m\0e").encode_to_vec()).is_empty());
    }

    #[test]
    fn numbers_and_bytes_are_not_touched() {
        let chunk = v1::DownloadAttachmentResponse { piece: vec![0; 9], ..Default::default() };
        assert!(nuls::<v1::DownloadAttachmentResponse>(&chunk.encode_to_vec()).is_empty());
        let context =
            v1::GetContextRequest { tokens_per_byte: Some(0.5), min_relevance: Some(0.0), ..Default::default() };
        assert!(nuls::<v1::GetContextRequest>(&context.encode_to_vec()).is_empty());
    }

    #[test]
    fn what_is_malformed_or_too_deep_is_left_to_decoding() {
        let raw = request("a\0b", "me").encode_to_vec();
        for end in 1..raw.len() {
            nuls::<v1::ObserveRequest>(&raw[..end]);
        }
        for wrong in [&[0xff; 12][..], &[0x0b], &[0x0a, 0x7f, 0], &[0x09, 0]] {
            assert!(nuls::<v1::ObserveRequest>(wrong).is_empty(), "{wrong:?}");
        }
        let mut deep = Value { kind: Some(Kind::StringValue("\0".to_owned())) };
        for _ in 0..DEPTH {
            deep = Value { kind: Some(Kind::ListValue(prost_types::ListValue { values: vec![deep] })) };
        }
        let attributes = Struct { fields: [("a".to_owned(), deep)].into() };
        let message = v1::Message { attributes: Some(attributes), ..v1::Message::default() };
        assert!(nuls::<v1::Message>(&message.encode_to_vec()).is_empty());
    }
}
