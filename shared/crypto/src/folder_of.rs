//! The parent folder of a path.

use std::path::Path;

/// The parent folder; `.` for a bare name, for which [`Path::parent`] returns "", a path that no call can open.
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
