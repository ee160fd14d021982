//! Words for the notes of stages.

/// Returns a count with its noun; empty for 0.
pub(super) fn counted(count: usize, one: &str, many: &str) -> String {
    match count {
        0 => String::new(),
        1 => format!("1 {one}"),
        _ => format!("{count} {many}"),
    }
}
