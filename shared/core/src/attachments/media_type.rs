//! Media types, and patterns that they must match.

use std::str::FromStr;

use crate::bounds::MAX_MEDIA_TYPE_BYTES;

/// Returns what is wrong with a media type, if anything.
pub(super) fn media_type_problem(media_type: &str) -> Option<String> {
    if media_type.len() > MAX_MEDIA_TYPE_BYTES {
        return Some(format!("has {} bytes; at most {MAX_MEDIA_TYPE_BYTES} are allowed", media_type.len()));
    }
    let token = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte))
    };
    let whole = media_type.split_once('/').is_some_and(|(kind, subtype)| token(kind) && token(subtype));
    (!whole).then(|| "is not a media type such as image/png, without parameters".to_owned())
}

/// A pattern of media types: `image/png`, `image/*` or `*/*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaPattern(String);

impl MediaPattern {
    /// The pattern that every type matches.
    pub(super) fn any() -> Self {
        Self("*/*".to_owned())
    }

    /// Reports whether a media type matches.
    pub fn admits(&self, media_type: &str) -> bool {
        match self.0.strip_suffix('*') {
            Some("*/") => true,
            Some(kind) => media_type.starts_with(kind),
            None => media_type == self.0,
        }
    }

    /// The pattern.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for MediaPattern {
    type Err = String;

    fn from_str(raw: &str) -> Result<Self, String> {
        let pattern = raw.trim().to_ascii_lowercase();
        let concrete = match pattern.split_once('/') {
            Some(("*", "*")) => "any/any".to_owned(),
            Some((kind, "*")) => format!("{kind}/any"),
            _ => pattern.clone(),
        };
        match media_type_problem(&concrete) {
            None if !concrete.contains('*') => Ok(Self(pattern)),
            _ => Err(format!("{raw:?} is not a pattern of types; write image/png, image/* or */*")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_let_types_through_as_they_are_written() {
        let admits = |pattern: &str, kind| pattern.parse::<MediaPattern>().unwrap().admits(kind);
        assert!(admits("*/*", "image/png") && admits("image/*", "image/png") && admits("Image/PNG", "image/png"));
        assert!(
            !admits("image/*", "imagery/png") && !admits("image/png", "image/pngx") && !admits("text/*", "image/png")
        );
        for wrong in ["", "*", "image", "*/png", "image/p*", "image/*/x", "/", "a/", "*"] {
            assert!(wrong.parse::<MediaPattern>().is_err(), "{wrong:?} is taken");
        }
    }
}
