//! Sends raw bytes.

use http::uri::PathAndQuery;
use kimberly_tests::raw::Bytes;
use tonic::transport::Channel;
use tonic::{Request, Status};

use crate::fuzz::seeds::{Answers, Seed};

/// Sends a body to a method, after the seed's opening if there is one, and reads as much of the response as the seed
/// says.
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
