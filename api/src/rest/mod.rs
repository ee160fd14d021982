//! JSON over HTTP on the port of gRPC, and its description at `/openapi.json`. `kimberly-transcode` derives everything
//! from the contract's annotations. This module adds only texts and the bounds that the document states.

mod facts;
mod keywords;
mod messages;
mod named;
mod patterns;
mod records;
mod requests;
mod source;
mod working;

use kimberly_core::memory::DraftLimits;
use kimberly_core::settings::ServerDefaults;
use kimberly_proto::{BARE_DESCRIPTOR_SET, FILE_DESCRIPTOR_SET};
use kimberly_runtime::Failure;
use kimberly_runtime::config::ApiConfig;
use kimberly_transcode::openapi::{self, Info};
use kimberly_transcode::{Options, TranscodeLayer, Transcoder};
use serde_json::Value;

use crate::{console, mcp, status};

/// The path of the OpenAPI document.
pub(crate) const DOCUMENT: &str = "/openapi.json";

/// The path of the description for new visitors.
pub(crate) const ROOT: &str = "/";

/// Returns the options for reading JSON.
pub(crate) fn options(config: &ApiConfig) -> Options {
    Options {
        max_body_bytes: config.max_request_bytes.as_usize(),
        body_timeout: config.request_timeout.0,
        dialects: source::DIALECTS,
        words: source::WORDS,
        ..Options::new(status::refused)
    }
}

/// Creates the layer in front of everything that gRPC calls pass.
pub(crate) fn layer(config: &ApiConfig, defaults: &ServerDefaults) -> Result<TranscodeLayer, Failure> {
    let transcoder = Transcoder::new(BARE_DESCRIPTOR_SET, options(config))?;
    let limits = defaults.draft_limits;
    let transcoder = transcoder.with_document(DOCUMENT, move |transcoder| document(transcoder, limits));
    Ok(TranscodeLayer::new(transcoder.with_text(ROOT, &root(), welcome())))
}

fn document(transcoder: &Transcoder, limits: DraftLimits) -> Value {
    let info = Info {
        title: "Kimberly",
        version: kimberly_runtime::VERSION,
        description: DESCRIPTION,
        license: "Apache-2.0",
        commented: FILE_DESCRIPTOR_SET,
        facts: &|name| facts::of(name, limits),
        bearer: Some(BEARER),
    };
    openapi::document(transcoder, &info)
}

/// Describes this server to programs, with the paths to look at.
fn root() -> Value {
    serde_json::json!({
        "name": "Kimberly",
        "what": "a self-hosted memory service for AI assistants",
        "version": kimberly_runtime::VERSION,
        "openapi": DOCUMENT,
        "server": "/v1/server",
        "paths": ["/memory", "/memory/{id}", "/memory/query", "/memory/meditate", "/memory/metrics", "/memory/embed"],
        "mcp": mcp::PATH,
        "console": console::PATH,
        "grpc": {"package": "kimberly.v1", "reflection": true, "health": "grpc.health.v1.Health"},
    })
}

/// Describes this server to people.
fn welcome() -> String {
    format!(
        "Kimberly {}, a self-hosted memory service for AI assistants.\n\n\
         {DOCUMENT}  every path, in JSON over HTTP (POST /memory, POST /memory/query, ...)\n\
         /v1/server     what this server is and what it allows\n\
         {}           tools for assistants, over the Model Context Protocol\n\
         {}      the console: memories to look at, in a browser\n\n\
         gRPC on the same port: package kimberly.v1, with reflection and health. From a terminal: kimberly --help\n",
        kimberly_runtime::VERSION,
        mcp::PATH,
        console::PATH,
    )
}

/// The OpenAPI description of a credential.
const BEARER: &str = "\
A key that `kimberly keys create` made, as `authorization: Bearer kmb_...`. A server whose `auth.mode` is `open` asks for \
none, but checks one that is sent.";

/// The OpenAPI introduction for every caller.
const DESCRIPTION: &str = "\
A memory service for AI assistants. This is the contract `kimberly.v1` as JSON over HTTP; the same calls are served over \
gRPC on the same port.

- Names in bodies and masks are lowerCamelCase; the names of the contract (`page_size`) are taken, too, and in the query as \
well. Enums are taken by their short names, too: `long_term` and `long-term` for `TIER_LONG_TERM`. Unknown \
fields are refused, and so are different values for one field in path, query and body.
- `userId` may be left out: a credential for one user implies that user, and a server that requires no credentials has a \
default user (`defaultUser` of `/v1/server`).
- Fields that hold their default are there in answers: an empty list is `[]` and not absent. 64-bit integers are texts.
- Lengths are bounded in bytes of UTF-8; `maxLength` counts characters and is right for ASCII.
- A body of JSON is sent with `content-type: application/json`, gzip by `content-encoding`; it holds at most 250,000 values.
- The header `grpc-timeout` sets a deadline, such as `500m` for 500 milliseconds or `5S` for 5 seconds.
- Half a surrogate pair in a text becomes U+FFFD, and NUL a space, except in names of users, where it is refused.
- Numbers of free data (`attributes`) come back as they came; one that a 64-bit double would change is refused.
- `requestId` makes a write safe to repeat.
- A stream is one JSON object a line, or server-sent events if the caller accepts `text/event-stream`. An error ends \
the stream as its last line, or as an event named `error`, of the form `{\"error\": Status}`.
- Errors are google.rpc.Status as JSON; `details` hold a google.rpc.ErrorInfo of the domain `kimberly.v1` with the reason.";

#[cfg(test)]
mod tests;
