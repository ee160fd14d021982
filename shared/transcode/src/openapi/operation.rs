//! Describes one operation: a binding of an rpc.

use prost_reflect::FieldDescriptor;
use serde_json::{Value, json};

use super::comments::{Comments, first_sentence};
use super::components::{Components, Direction};
use super::{dialect, parameters};
use crate::binding::{Binding, BodyField};
use crate::stream::Form;
use crate::template::Segment;

/// Returns the path in OpenAPI's syntax.
pub(super) fn path(binding: &Binding) -> String {
    let mut variables = binding.variables.iter();
    let mut path = String::new();
    for segment in &binding.template.segments {
        path.push('/');
        match segment {
            Segment::Literal(text) => path.push_str(text),
            Segment::Variable { verb } => {
                let name = variables.next().map(|fields| parameters::variable(fields, binding)).unwrap_or_default();
                path.extend(["{", &name, "}", verb]);
            }
        }
    }
    path
}

/// Describes the operation.
pub(super) fn describe(binding: &Binding, comments: &Comments, components: &mut Components<'_>) -> Value {
    let (rpc, service) = (&binding.rpc, binding.rpc.parent_service());
    let comment = comments.of(service.parent_file().name(), rpc.path());
    let suffix = if binding.position > 0 { format!("_{}", binding.position + 1) } else { String::new() };
    let mut made = json!({
        "operationId": format!("{}_{}{suffix}", service.name(), rpc.name()),
        "tags": [service.name()],
        "summary": first_sentence(&comment),
        "description": comment,
        "parameters": parameters::of(binding, components),
        "responses": {
            "200": {"description": "The answer.", "content": content(binding, components)},
            "default": {"$ref": "#/components/responses/Error"},
        },
    });
    if let Some(body) = body(binding, components) {
        made["requestBody"] = body;
    }
    made
}

fn content(binding: &Binding, components: &mut Components<'_>) -> Value {
    let output = components.reference(&binding.rpc.output(), Direction::Output);
    let output = dialect::answered(binding, output);
    if !binding.rpc.is_server_streaming() {
        return json!({"application/json": {"schema": output}});
    }
    let error = json!({
        "type": "object",
        "description": "The stream failed; nothing follows.",
        "properties": {"error": {"$ref": "#/components/schemas/Status"}},
        "required": ["error"],
    });
    let (lines, events) = (Form::Lines.content_type(), Form::Events.content_type());
    json!({
        lines: {"schema": {"description": "One line.", "anyOf": [output, error]}},
        events: {"schema": {"type": "string", "description": "Events whose data are such lines."}},
    })
}

fn body(binding: &Binding, components: &mut Components<'_>) -> Option<Value> {
    let input = binding.rpc.input();
    let (schema, required) = match &binding.body {
        BodyField::None => return None,
        BodyField::Whole => {
            let bound: Vec<FieldDescriptor> =
                binding.variables.iter().filter_map(|path| path.first().cloned()).collect();
            let mut open = input.fields().filter(|field| !bound.contains(field));
            let required = open.any(|field| components.facts(&field).required);
            let schema = if bound.is_empty() {
                components.reference(&input, Direction::Input)
            } else {
                components.object(&input, Direction::Input, &bound)
            };
            (dialect::taken(binding, schema, components), required)
        }
        BodyField::Field(field) => {
            let facts = components.facts(field);
            let direction = if facts.partial { Direction::Patch } else { Direction::Input };
            let within = |path: &crate::fields::FieldPath| match path.as_slice() {
                [first, inner] if first == field => Some(inner.clone()),
                _ => None,
            };
            let bound: Vec<FieldDescriptor> = binding.variables.iter().filter_map(within).collect();
            let kind = field.kind();
            let message = kind.as_message()?;
            let schema = if bound.is_empty() {
                components.reference(message, direction)
            } else {
                components.object(message, direction, &bound)
            };
            (schema, facts.required)
        }
    };
    Some(json!({"required": required, "content": {"application/json": {"schema": schema}}}))
}
