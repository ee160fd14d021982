//! Path templates such as `/v1/users/{user_id}/memories/{id}:restore`.
//!
//! Supports the part of the syntax in `google/api/http.proto` that a JSON API needs: literals, variables of one segment
//! (which may name nested fields), and a verb at the end. Wildcards are refused at start.

use percent_encoding::percent_decode_str;

/// A path segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Segment {
    /// A literal, including a verb.
    Literal(String),
    /// Any non-empty text, followed by the verb if the template has one.
    Variable {
        /// The text after the variable, including the colon. Empty without a verb.
        verb: String,
    },
}

impl Segment {
    /// Returns the specificity of a segment. If two templates match, the more specific one wins.
    pub(crate) const fn rank(&self) -> u8 {
        match self {
            Self::Literal(_) => 2,
            Self::Variable { verb } if !verb.is_empty() => 1,
            Self::Variable { .. } => 0,
        }
    }
}

/// A template: its segments and the field paths of its variables, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template {
    pub(crate) segments: Vec<Segment>,
    pub(crate) variables: Vec<String>,
}

impl Template {
    /// Parses a template. The error says what is supported.
    pub(crate) fn parse(raw: &str) -> Result<Self, String> {
        let path = raw.strip_prefix('/').ok_or_else(|| format!("path {raw} does not start with a slash"))?;
        let (mut segments, mut variables) = (Vec::new(), Vec::new());
        for part in path.split('/') {
            segments.push(match part.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
                Some((name, verb)) if is_name(name) && (verb.is_empty() || is_literal(verb)) => {
                    variables.push(name.to_owned());
                    Segment::Variable { verb: verb.to_owned() }
                }
                None if is_literal(part) => Segment::Literal(part.to_owned()),
                _ => return Err(format!("path {raw}: {part:?} is neither a text nor one variable and a verb")),
            });
        }
        Ok(Self { segments, variables })
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.')
}

fn is_literal(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.:".contains(&b))
}

/// Returns the values of the variables, percent-encoded, if the path matches. `path` is split at slashes;
/// percent-encoded slashes do not split it.
pub(crate) fn matches<'a>(segments: &[Segment], path: &[&'a str]) -> Option<Vec<&'a str>> {
    if segments.len() != path.len() {
        return None;
    }
    // An empty id before a verb is invalid. It must not become the id ":verb" of the template without verb.
    if path.last().is_some_and(|last| last.starts_with(':')) {
        return None;
    }
    let mut values = Vec::new();
    for (segment, &part) in segments.iter().zip(path) {
        match segment {
            Segment::Literal(text) if part == text || decoded(part).as_deref() == Some(text) => {}
            Segment::Literal(_) => return None,
            Segment::Variable { verb } => {
                values.push(part.strip_suffix(verb.as_str()).filter(|value| !value.is_empty())?);
            }
        }
    }
    Some(values)
}

/// Decodes a percent-encoded segment. Returns `None` if it is not UTF-8.
pub(crate) fn decoded(part: &str) -> Option<String> {
    percent_decode_str(part).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values<'a>(template: &str, path: &'a str) -> Option<Vec<&'a str>> {
        let parts: Vec<&str> = path[1..].split('/').collect();
        matches(&Template::parse(template).unwrap().segments, &parts)
    }

    #[test]
    fn variables_take_one_segment_without_its_verb() {
        let template = "/v1/users/{user_id}/memories/{id}:restore";
        assert_eq!(values(template, "/v1/users/a%2Fb/memories/m:restore"), Some(vec!["a%2Fb", "m"]));
        assert_eq!(values(template, "/v1/users/a/memories/x:y:restore"), Some(vec!["a", "x:y"]));
        for other in ["/v1/users/a/memories/m", "/v1/users/a/memories/:restore", "/v1/users//memories/m:restore", "/"] {
            assert_eq!(values(template, other), None, "{other}");
        }
        assert_eq!(values("/v1/memories/{id}", "/v1/memories/:restore"), None);
        assert_eq!(values("/v1/memories/{id}", "/v1/memories/%3Ax"), Some(vec!["%3Ax"]));
    }

    #[test]
    fn literals_match_as_written_or_percent_encoded() {
        assert_eq!(values("/v1/x:query", "/v1/x:query"), Some(vec![]));
        assert_eq!(values("/v1/x:query", "/v1/x%3Aquery"), Some(vec![]));
        assert_eq!(values("/v1/x", "/v1/x/"), None);
        assert_eq!(values("/v1/x", "/V1/x"), None);
    }

    #[test]
    fn what_is_not_supported_is_refused() {
        for wrong in ["v1", "/", "/a//b", "/*", "/{a=**}", "/{a", "/{}", "/a{b}", "/{a}b c", "/a b"] {
            assert!(Template::parse(wrong).is_err(), "{wrong}");
        }
        assert_eq!(Template::parse("/a/{goal.id}").unwrap().variables, ["goal.id"]);
    }
}
