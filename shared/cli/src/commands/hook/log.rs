//! Log of errors in hooks: a bounded file without any message text.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use super::private::append;
use crate::time;

/// The log's name, and the name it gets once it is full.
pub(super) const NAME: &str = "hooks.log";
const BEFORE: &str = "hooks.log.1";
/// Maximum size of the log, in bytes.
const MOST: u64 = 128 * 1024;
const LINE: usize = 500;

/// Logs an error of an event. Write errors are ignored.
pub(super) fn note(folder: &Path, event: &str, why: &str) {
    let file = folder.join(NAME);
    if fs::metadata(&file).is_ok_and(|facts| facts.len() > MOST) {
        let _ = fs::rename(&file, folder.join(BEFORE));
    }
    let Ok(mut out) = append(&file) else { return };
    let cut = |text: &str| text.split_at(text.floor_char_boundary(LINE)).0.replace('\n', " ");
    let _ = writeln!(out, "{} {}: {}", time::now_seconds(), cut(event), cut(why));
}
