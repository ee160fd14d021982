//! Query parameters: `page_size=10&filter.tags_any=a&filter.tagsAny=b`.

use percent_encoding::percent_decode_str;
use prost_reflect::{DynamicMessage, ReflectMessage as _, Value};

use crate::Refusal;
use crate::binding::Binding;
use crate::fields::{self, FieldPath};

/// Characters of a parameter name that errors show at most.
const SHOWN: usize = 64;

/// Applies the query to `message`. Refuses contradictions to the body, and fields that are set by the path.
pub(crate) fn apply(query: &str, binding: &Binding, message: &mut DynamicMessage) -> Result<(), Refusal> {
    let mut seen: Vec<(FieldPath, Vec<Value>)> = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, text) = pair.split_once('=').unwrap_or((pair, ""));
        let shown: String = name.chars().take(SHOWN).collect();
        let wrong = |problem: &str| Refusal::field(shown.clone(), problem);
        let name = unescape(name).ok_or_else(|| wrong("is not UTF-8 once its percent-encoding is undone"))?;
        let text = unescape(text).ok_or_else(|| wrong("holds a value that is not percent-encoded UTF-8"))?;
        let path = match binding.spoken.as_ref().and_then(|spoken| spoken.parameter(&name)) {
            Some(path) => path.to_vec(),
            None => fields::resolve(&message.descriptor(), &name).map_err(|problem| wrong(&problem))?,
        };
        if binding.variables.contains(&path) {
            return Err(wrong("stands in the path; leave it out of the query"));
        }
        let Some(field) = path.last() else { continue };
        let value = fields::value(&field.kind(), &text).map_err(|problem| wrong(&problem))?;
        match seen.iter_mut().find(|(known, _)| *known == path) {
            Some((_, values)) if field.is_list() => values.push(value),
            Some(_) => return Err(wrong("is given more than once; it takes one value")),
            None => seen.push((path, vec![value])),
        }
    }
    for (path, mut values) in seen {
        let list = path.last().is_some_and(prost_reflect::FieldDescriptor::is_list);
        let value = if list { Some(Value::List(values)) } else { values.pop() };
        if let Some(value) = value {
            if fields::get(message, &path).is_some_and(|other| other != value) {
                let problem = "has different values in the body and in the query; send it only once";
                return Err(Refusal::field(fields::name(&path), problem));
            }
            fields::set(message, &path, value);
        }
    }
    Ok(())
}

/// Decodes form encoding, in which a plus is a space.
fn unescape(text: &str) -> Option<String> {
    let text = text.replace('+', " ");
    percent_decode_str(&text).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}
