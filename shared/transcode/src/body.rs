//! Reads request bodies: bounded, decompressed, with a checked content type.

use std::borrow::Cow;

use bytes::{Bytes, BytesMut};
use http::Method;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, ORIGIN};
use http_body_util::BodyExt as _;
use tonic::Code;
use tonic::body::Body;

use crate::answer::Failure;
use crate::mend::mended;
use crate::{Options, Refusal, gzip, request};

/// Reads the whole body of a JSON request outside the contract, within the same bounds.
pub async fn read_json(method: &Method, headers: &HeaderMap, body: Body, options: &Options) -> Result<Bytes, Failure> {
    let bytes = read(method, headers, body, options).await?;
    request::check_values(&bytes, options.max_values)?;
    let mended = match mended(&bytes) {
        Cow::Owned(mended) => Some(Bytes::from(mended)),
        Cow::Borrowed(_) => None,
    };
    Ok(mended.unwrap_or(bytes))
}

/// Reads the whole body.
pub(crate) async fn read(
    method: &Method,
    headers: &HeaderMap,
    body: Body,
    options: &Options,
) -> Result<Bytes, Failure> {
    let announced = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    let limit = options.max_body_bytes;
    if announced.is_some_and(|bytes| usize::try_from(bytes).map_or(true, |bytes| bytes > limit)) {
        return Err(too_large(limit).into());
    }
    let reading = tokio::time::timeout(options.body_timeout, collect(body, limit));
    let bytes = reading.await.map_err(|_| Refusal::TooSlow { after: options.body_timeout })??;
    check_type(method, headers, bytes.is_empty())?;
    Ok(unpacked(headers, bytes, limit)?)
}

/// Collects the body. Passes an error from a layer in front, such as overload, to the caller.
async fn collect(mut body: Body, limit: usize) -> Result<Bytes, Failure> {
    let mut whole = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|status| match status.code() {
            Code::ResourceExhausted => Failure::Status(Box::new(status)),
            _ => Refusal::json("the body broke off before its end").into(),
        })?;
        if let Ok(data) = frame.into_data() {
            if whole.len() + data.len() > limit {
                return Err(too_large(limit).into());
            }
            whole.extend_from_slice(&data);
        }
    }
    Ok(whole.freeze())
}

/// Requires a JSON content type for requests with a body, and for unsafe calls from a page of another origin. Browsers
/// send a preflight request (CORS) before such calls.
fn check_type(method: &Method, headers: &HeaderMap, empty: bool) -> Result<(), Refusal> {
    let from_a_page = !method.is_safe() && headers.contains_key(ORIGIN);
    if is_json(headers) || (empty && !from_a_page) {
        return Ok(());
    }
    Err(Refusal::UnsupportedBody { problem: "a body must be sent with content-type: application/json".to_owned() })
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut parts = kind.split(';').map(str::trim);
    let json = parts.next().is_some_and(|kind| kind.eq_ignore_ascii_case("application/json"));
    let charset =
        |part: &str| part.to_ascii_lowercase().strip_prefix("charset=").map(|name| name.trim_matches('"').to_owned());
    json && parts.filter_map(charset).all(|name| name == "utf-8" || name == "utf8")
}

fn unpacked(headers: &HeaderMap, bytes: Bytes, limit: usize) -> Result<Bytes, Refusal> {
    let encoding = headers.get(CONTENT_ENCODING).map_or(Ok("identity"), |value| value.to_str());
    let plain = match encoding.map(str::trim).unwrap_or_default() {
        "identity" => return Ok(bytes),
        "gzip" => gzip::unpack(&bytes, limit)
            .map_err(|_| Refusal::json("the body is not gzip, contrary to its content-encoding"))?,
        _ => {
            let problem = "content-encoding must be gzip, identity or absent".to_owned();
            return Err(Refusal::UnsupportedBody { problem });
        }
    };
    if plain.len() > limit { Err(too_large(limit)) } else { Ok(plain) }
}

fn too_large(limit: usize) -> Refusal {
    Refusal::TooLarge { problem: format!("the body is too large; at most {limit} bytes are allowed") }
}
