//! Converts a handler's result to a response.

use prost::Message;
use tonic::{Response, Status};

use crate::status;

/// Responses below this size are never compressed: the cost would exceed the gain.
const COMPRESS_FROM_BYTES: usize = 16 * 1024;

/// Creates the response for a handler's result.
pub(crate) fn reply<M: Message>(outcome: kimberly_core::Result<M>) -> Result<Response<M>, Status> {
    let message = outcome.map_err(status::status)?;
    let small = message.encoded_len() < COMPRESS_FROM_BYTES;
    let mut response = Response::new(message);
    if small {
        response.disable_compression();
    }
    Ok(response)
}
