//! Short texts that name something, such as tags and sessions: their normal form and their bounds.

use crate::error::FieldViolation;

/// Returns the trimmed name, `None` for an empty one, or what is wrong with it.
pub(crate) fn normalized_name(name: Option<&str>, longest: usize) -> Result<Option<String>, String> {
    let Some(name) = name.filter(|name| !name.trim().is_empty() || name.len() > longest) else {
        return Ok(None);
    };
    trimmed_label(name, longest).map(|name| Some(name.to_owned()))
}

/// Returns what is wrong with a short label, if anything.
pub(crate) fn label_problem(label: &str, max_bytes: usize) -> Option<String> {
    if label.is_empty() {
        Some(format!("is empty; 1-{max_bytes} bytes are allowed"))
    } else if label.len() > max_bytes {
        Some(format!("has {} bytes; at most {max_bytes} are allowed", label.len()))
    } else if label.chars().any(char::is_control) {
        Some("contains a control character; use printable characters only".to_owned())
    } else {
        None
    }
}

/// Returns the trimmed label, or what is wrong with it. The length is measured before trimming, so that it depends
/// only on the text sent.
pub(crate) fn trimmed_label(label: &str, max_bytes: usize) -> Result<&str, String> {
    let measured = if label.len() > max_bytes { label } else { label.trim() };
    label_problem(measured, max_bytes).map_or(Ok(measured), Err)
}

/// Trims labels, drops duplicates and reports those out of bounds. `bounds` is (most labels, longest label).
pub(crate) fn normalized_labels(
    raw: Vec<String>,
    path: &str,
    (most, longest): (usize, usize),
    violations: &mut Vec<FieldViolation>,
) -> Vec<String> {
    if raw.len() > most {
        violations.push(FieldViolation::new(path, format!("has {} entries; at most {most} are allowed", raw.len())));
        return raw;
    }
    let mut labels: Vec<String> = Vec::with_capacity(raw.len());
    for (index, label) in raw.into_iter().enumerate() {
        match trimmed_label(&label, longest) {
            Err(problem) => violations.push(FieldViolation::new(format!("{path}[{index}]"), problem)),
            Ok(label) if labels.iter().any(|have| have == label) => {}
            Ok(label) => labels.push(label.to_owned()),
        }
    }
    labels
}
