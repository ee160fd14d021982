//! Where a file lies.

use std::path::Path;

/// The folder that a file or folder lies in; `.` for a bare name, whose [`Path::parent`] is "", which no call can open.
#[must_use]
pub fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().unwrap_or(path);
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_name_lies_in_the_current_folder() {
        for (path, folder) in [("shop.key", "."), ("./shop.key", "."), ("a/b", "a"), ("/a", "/"), ("/", "/"), ("", ".")]
        {
            assert_eq!(folder_of(Path::new(path)), Path::new(folder), "{path:?}");
        }
    }
}
