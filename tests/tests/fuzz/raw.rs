//! Sends bytes as they are.

use bytes::{Buf, BufMut};
use http::uri::PathAndQuery;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::transport::Channel;
use tonic::{Request, Status};

use crate::seeds::{Answers, Seed};

/// Takes and gives bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Bytes;

impl Codec for Bytes {
    type Encode = Vec<u8>;
    type Decode = usize;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        *self
    }

    fn decoder(&mut self) -> Self {
        *self
    }
}

impl Encoder for Bytes {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, item: Vec<u8>, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put_slice(&item);
        Ok(())
    }
}

impl Decoder for Bytes {
    type Item = usize;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<usize>, Status> {
        let length = buffer.remaining();
        buffer.advance(length);
        Ok(Some(length))
    }
}

/// Sends a body to a method, behind its opening if it has one, and reads what the seed says of the answer.
pub(crate) async fn send(channel: Channel, seed: &Seed, body: Vec<u8>) -> Result<(), Status> {
    let mut client = tonic::client::Grpc::new(channel);
    client.ready().await.map_err(|error| Status::unavailable(error.to_string()))?;
    let path = PathAndQuery::from_static(seed.method);
    let opening = seed.opening.map(|make| make());
    let wanted = if seed.answers == Answers::All { usize::MAX } else { 1 + usize::from(opening.is_some()) };
    let messages = tokio_stream::iter(opening.into_iter().chain([body]));
    let mut answers = client.streaming(Request::new(messages), path, Bytes).await?.into_inner();
    let mut read = 0;
    while read < wanted && answers.message().await?.is_some() {
        read += 1;
    }
    Ok(())
}
