//! The same requests as JSON over HTTP, by the contract's annotations.

use std::collections::HashMap;
use std::sync::LazyLock;

use http::Method;
use kimberly_proto::FILE_DESCRIPTOR_SET;
use prost_reflect::{DescriptorPool, DynamicMessage, MethodDescriptor, SerializeOptions};
use serde_json::{Map, Value};

static POOL: LazyLock<DescriptorPool> =
    LazyLock::new(|| DescriptorPool::decode(FILE_DESCRIPTOR_SET).expect("the contract"));

static RPCS: LazyLock<HashMap<String, MethodDescriptor>> = LazyLock::new(|| {
    let services: Vec<_> = POOL.services().collect();
    let methods = services.iter().flat_map(prost_reflect::ServiceDescriptor::methods);
    methods.map(|rpc| (format!("/{}/{}", rpc.parent_service().full_name(), rpc.name()), rpc)).collect()
});

/// An HTTP request.
#[derive(Clone, Debug)]
pub(crate) struct Http {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) body: String,
    /// Whether the response may be endless.
    pub(crate) streams: bool,
}

/// The JSON form of an encoded request; `None` for an rpc without HTTP binding.
pub(crate) fn of(rpc: &str, encoded: &[u8]) -> Option<Http> {
    let rpc = RPCS.get(rpc).unwrap_or_else(|| panic!("no rpc {rpc}"));
    let http = POOL.get_extension_by_name("google.api.http").expect("the annotation");
    let options = rpc.options();
    if !options.has_extension(&http) {
        return None;
    }
    let rule = options.get_extension(&http).as_message().cloned().expect("a rule");
    let text = |name: &str| rule.get_field_by_name(name).and_then(|value| value.as_str().map(str::to_owned));
    let verbs = ["get", "put", "post", "delete", "patch"];
    let verb = verbs.into_iter().find(|verb| rule.has_field_by_name(verb)).expect("a verb");
    let mut fields = fields(rpc, encoded);
    let mut path = filled(&text(verb).expect("a template"), &mut fields);
    let body = match text("body").unwrap_or_default().as_str() {
        "" => Value::Null,
        "*" => Value::Object(std::mem::take(&mut fields)),
        field => fields.remove(field).unwrap_or_else(|| Value::Object(Map::new())),
    };
    let mut query = Vec::new();
    pairs("", &Value::Object(fields), &mut query);
    if !query.is_empty() {
        path = format!("{path}?{}", query.join("&"));
    }
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let method = verb.to_uppercase().parse().expect("a method");
    Some(Http { method, path, body, streams: rpc.is_server_streaming() })
}

fn fields(rpc: &MethodDescriptor, encoded: &[u8]) -> Map<String, Value> {
    let message = DynamicMessage::decode(rpc.input(), encoded).expect("a request");
    let options = SerializeOptions::new().use_proto_field_name(true);
    let value = message.serialize_with_options(serde_json::value::Serializer, &options).expect("JSON");
    let Value::Object(fields) = value else { panic!("a message is an object") };
    fields
}

/// A template with its variables replaced by fields, which are removed. An empty value yields an invalid path.
fn filled(template: &str, fields: &mut Map<String, Value>) -> String {
    let mut path = String::new();
    let mut rest = template;
    while let Some((before, behind)) = rest.split_once('{') {
        let (name, after) = behind.split_once('}').expect("a variable ends");
        let value = taken(fields, name.split('=').next().unwrap_or(name));
        path.push_str(before);
        path.push_str(&escaped(&value));
        rest = after;
    }
    path + rest
}

/// Removes a field, possibly nested, and returns its text.
fn taken(fields: &mut Map<String, Value>, name: &str) -> String {
    let value = match name.split_once('.') {
        None => fields.remove(name),
        Some((outer, inner)) => fields.get_mut(outer).and_then(Value::as_object_mut).and_then(|of| of.remove(inner)),
    };
    value.and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

fn pairs(name: &str, value: &Value, query: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (field, value) in fields {
                let name = if name.is_empty() { field.clone() } else { format!("{name}.{field}") };
                pairs(&name, value, query);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| pairs(name, value, query)),
        Value::String(text) => query.push(format!("{name}={}", escaped(text))),
        Value::Null => {}
        other => query.push(format!("{name}={other}")),
    }
}

fn escaped(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    text.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}
