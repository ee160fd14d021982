//! How a handler's outcome becomes an answer.

use prost::Message;
use tonic::{Response, Status};

use crate::status;

/// Smaller answers are sent as they are, even to clients that accept compression: it would cost more than it saves.
const COMPRESS_FROM_BYTES: usize = 16 * 1024;

/// The answer of a handler.
pub(crate) fn reply<M: Message>(outcome: kimberly_core::Result<M>) -> Result<Response<M>, Status> {
    let message = outcome.map_err(status::status)?;
    let small = message.encoded_len() < COMPRESS_FROM_BYTES;
    let mut response = Response::new(message);
    if small {
        response.disable_compression();
    }
    Ok(response)
}
