//! Builds the request message from path, query and body. They must not contradict each other.

use prost_reflect::prost::Message as _;
use prost_reflect::{DynamicMessage, MessageDescriptor, Value};
use serde_json::Value as Json;

use crate::binding::{Binding, BodyField};
use crate::lenient::Lenient;
use crate::mend::mended;
use crate::numbers::Changed;
use crate::{Options, Refusal, fields, query, template};

/// A request without its body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<'a> {
    /// The values of the path variables, percent-encoded.
    pub(crate) values: &'a [&'a str],
    /// The query string.
    pub(crate) query: &'a str,
}

/// Builds the message. The size bound of bodies also applies to the message.
pub(crate) fn message(
    binding: &Binding,
    target: Target<'_>,
    body: &[u8],
    options: &Options,
) -> Result<DynamicMessage, Refusal> {
    let message = assembled(binding, target, body, options)?;
    let (length, limit) = (message.encoded_len(), options.max_body_bytes);
    if length > limit {
        // A few bytes of JSON, such as a number, can become more bytes of message.
        let problem = format!("the request makes a message of {length} bytes; at most {limit} are allowed");
        return Err(Refusal::TooLarge { problem });
    }
    Ok(message)
}

fn assembled(binding: &Binding, target: Target<'_>, body: &[u8], options: &Options) -> Result<DynamicMessage, Refusal> {
    let input = binding.rpc.input();
    let mut message = match &binding.body {
        BodyField::None if body.is_empty() => DynamicMessage::new(input),
        BodyField::None => return Err(Refusal::json("this call takes no body; put what it needs into the query")),
        BodyField::Whole => json(input, body, binding, options)?,
        BodyField::Field(field) => {
            let mut message = DynamicMessage::new(input);
            if let (false, Some(inner)) = (body.is_empty(), field.kind().as_message()) {
                message.set_field(field, Value::Message(json(inner.clone(), body, binding, options)?));
            }
            message
        }
    };
    query::apply(target.query, binding, &mut message)?;
    for (path, raw) in binding.variables.iter().zip(target.values) {
        let wrong = |problem: &str| Refusal::field(fields::name(path), problem);
        let text = template::decoded(raw).ok_or_else(|| wrong("is not UTF-8 once its percent-encoding is undone"))?;
        let Some(field) = path.last() else { continue };
        let value = fields::value(&field.kind(), &text).map_err(|problem| wrong(&problem))?;
        let other = fields::get(&message, path).filter(|other| *other != value);
        if other.is_some() {
            return Err(wrong("has different values in the body and in the path; leave it out of the body"));
        }
        fields::set(&mut message, path, value);
    }
    Ok(message)
}

/// Parses a message from JSON. An empty body yields an empty message.
fn json(of: MessageDescriptor, body: &[u8], binding: &Binding, options: &Options) -> Result<DynamicMessage, Refusal> {
    if body.is_empty() {
        return Ok(DynamicMessage::new(of));
    }
    let body = &*mended(body);
    // Checked here, so that invalid UTF-8 gets the same error wherever it is in the body.
    let text = std::str::from_utf8(body)
        .map_err(|error| Refusal::json(format!("the body is not UTF-8 from byte {} on", error.valid_up_to())))?;
    check_values(body, options.max_values)?;
    let changed = Changed::of(text);
    let wrong = |error: serde_json::Error| Refusal::json(format!("the body is not JSON of this request: {error}"));
    if let Some(translated) = translated(text, binding)? {
        let from = Lenient::new(translated, &of, options.words, &changed);
        return DynamicMessage::deserialize(of, from).map_err(wrong);
    }
    let mut from = serde_json::Deserializer::from_str(text);
    let message = DynamicMessage::deserialize(of.clone(), Lenient::new(&mut from, &of, options.words, &changed));
    message.and_then(|message| from.end().map(|()| message)).map_err(wrong)
}

/// Converts the body to the contract's names, if it uses the path's dialect.
fn translated(text: &str, binding: &Binding) -> Result<Option<Json>, Refusal> {
    let Some(spoken) = binding.spoken.as_ref().filter(|_| binding.body == BodyField::Whole) else { return Ok(None) };
    // Anything but an object is refused later, with the position of the error.
    let Ok(Json::Object(body)) = serde_json::from_str(text) else { return Ok(None) };
    if spoken.is_spoken(&body) { spoken.translated(body).map(|body| Some(Json::Object(body))) } else { Ok(None) }
}

/// Refuses a JSON text with more values than allowed.
pub(crate) fn check_values(body: &[u8], most: usize) -> Result<(), Refusal> {
    if count_values(body) > most {
        let problem = format!("the body holds too many values; at most {most} are allowed: send several requests");
        return Err(Refusal::TooLarge { problem });
    }
    Ok(())
}

/// Returns an upper bound of the values in a JSON text, without parsing it.
fn count_values(json: &[u8]) -> usize {
    let (mut values, mut in_text, mut escaped) = (1, false, false);
    for &byte in json {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_text,
            b'"' => in_text = !in_text,
            b',' | b'[' | b'{' if !in_text => values += 1,
            _ => {}
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_outside_of_texts() {
        assert_eq!(count_values(b"1"), 1);
        assert_eq!(count_values(br#"{"a":[1,2,3],"b":"x,y,\",[{"}"#), 6);
        assert_eq!(count_values(b"[[[["), 5);
    }
}
