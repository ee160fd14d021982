//! Generates OpenAPI 3.1 from the descriptors: paths from annotations, texts from comments, bounds from
//! [`Info::facts`].
//!
//! Requests and responses have separate schemas. Requests are lenient: `null` omits a field, numbers may be strings,
//! and enums may be numbers. Unlisted members are refused. Responses have one form, and always contain the fields
//! without presence. A message used in both directions has a second component with the suffix `Input`. A message whose
//! fields a mask selects has one with the suffix `Patch`, in which no field is required.

mod comments;
mod components;
mod dialect;
mod digits;
mod operation;
mod parameters;
mod scalars;

use serde_json::{Map, Value, json};

use crate::Transcoder;
use crate::status::http_status;
use comments::Comments;
use components::{Components, Direction};

pub use digits::{span_pattern, whole_pattern};

/// Data that the descriptors do not contain.
#[derive(Clone, Copy)]
pub struct Info<'a> {
    /// The title.
    pub title: &'a str,
    /// The version of the API.
    pub version: &'a str,
    /// The API's introduction, in Markdown.
    pub description: &'a str,
    /// The licence, as an SPDX expression.
    pub license: &'a str,
    /// The encoded descriptor set with comments.
    pub commented: &'a [u8],
    /// Returns the facts of a field or message, given its full name.
    pub facts: &'a dyn Fn(&str) -> Facts,
    /// The description of bearer tokens, if the API accepts them. Without it, the document mentions no credentials.
    pub bearer: Option<&'a str>,
}

/// Facts of a request field or, in `keywords`, of a message.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Whether it must be set to something other than its default; for a `oneof`, whether one field must be set.
    pub required: bool,
    /// Whether a mask selects its fields, so that none is required.
    pub partial: bool,
    /// JSON Schema keywords for its values. `items` applies to list elements. Bounds of numbers also apply to numbers
    /// sent as strings.
    pub keywords: Map<String, Value>,
}

/// Generates the OpenAPI document of a transcoder.
pub fn document(transcoder: &Transcoder, info: &Info<'_>) -> Value {
    let comments = Comments::new(info.commented);
    let mut components = Components::new(&comments, info.facts, transcoder.router.bindings());
    let mut bindings: Vec<_> = transcoder.router.bindings().collect();
    let order =
        |rpc: &prost_reflect::MethodDescriptor| (rpc.parent_service().full_name().to_owned(), rpc.path().to_vec());
    bindings.sort_by_key(|binding| (order(&binding.rpc), binding.position));
    let mut paths = Map::new();
    for binding in &bindings {
        let item = paths.entry(operation::path(binding)).or_insert_with(|| json!({}));
        item[binding.method.as_str().to_ascii_lowercase()] = operation::describe(binding, &comments, &mut components);
    }
    let status = components.reference(transcoder.statuses.descriptor(), Direction::Output);
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": info.title,
            "version": info.version,
            "description": info.description,
            "license": {"name": info.license, "identifier": info.license},
        },
        "servers": [{"url": "/"}],
        "tags": tags(&bindings, &comments),
        "paths": paths,
        "components": {"schemas": components.finish(), "responses": {"Error": error(&status)}},
    });
    if let Some(words) = info.bearer {
        document["components"]["securitySchemes"] =
            json!({"bearer": {"type": "http", "scheme": "bearer", "description": words}});
        // Valid with or without a token: the server's configuration decides.
        document["security"] = json!([{"bearer": []}, {}]);
    }
    document
}

fn tags(bindings: &[&std::sync::Arc<crate::binding::Binding>], comments: &Comments) -> Vec<Value> {
    let mut tags: Vec<Value> = Vec::new();
    for service in bindings.iter().map(|binding| binding.rpc.parent_service()) {
        let tag =
            json!({"name": service.name(), "description": comments.of(service.parent_file().name(), service.path())});
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    tags
}

/// Creates the response that describes every failure.
fn error(status: &Value) -> Value {
    let statuses =
        (1..=16).map(tonic::Code::from_i32).map(|code| format!("`{}` {}", http_status(code).as_str(), name(code)));
    json!({
        "description": format!(
            "The call failed. The status is that of google.rpc.Code ({}), or 405, 408, 413 or 415 for what is wrong with \
             the request as HTTP. `details` hold a google.rpc.ErrorInfo with the reason, and more where there is more to \
             say.",
            statuses.collect::<Vec<_>>().join(", "),
        ),
        "headers": {
            "Retry-After": {
                "description": "Whole seconds until the call may be tried again, where that may help.",
                "schema": {"type": "integer", "minimum": 1},
            },
            "WWW-Authenticate": {
                "description": "With 401: what a credential is sent as.",
                "schema": {"type": "string"},
            },
            "Allow": {"description": "With 405: the methods that the path takes.", "schema": {"type": "string"}},
        },
        "content": {"application/json": {"schema": status}},
    })
}

/// Returns the name of a code in `google/rpc/code.proto`.
fn name(code: tonic::Code) -> String {
    let mut name = String::new();
    for (index, c) in format!("{code:?}").char_indices() {
        if index > 0 && c.is_ascii_uppercase() {
            name.push('_');
        }
        name.push(c.to_ascii_uppercase());
    }
    name
}
