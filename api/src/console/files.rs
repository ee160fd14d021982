//! The files of the console, which `build.rs` embeds in the binary.

use std::sync::LazyLock;

use sha2::{Digest as _, Sha256};

/// A built file.
pub(super) struct File {
    /// The path below the console's, such as `assets/index-….js`.
    pub(super) name: &'static str,
    pub(super) plain: &'static [u8],
    /// The same content, compressed with gzip.
    pub(super) packed: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/console.rs"));

/// The page that loads all other files.
const PAGE: &str = "index.html";
/// The folder of files that never change, since their names contain a hash of their content.
const HASHED: &str = "assets/";

/// Finds a file by its path below the console's.
pub(super) fn find(name: &str) -> Option<&'static File> {
    let name = if name.is_empty() { PAGE } else { name };
    FILES.iter().find(|file| file.name == name)
}

impl File {
    pub(super) fn media_type(&self) -> &'static str {
        match self.name.rsplit_once('.').map_or("", |(_, end)| end) {
            "html" => "text/html; charset=utf-8",
            "js" => "text/javascript; charset=utf-8",
            "css" => "text/css; charset=utf-8",
            "svg" => "image/svg+xml",
            "woff2" => "font/woff2",
            _ => "text/plain; charset=utf-8",
        }
    }

    /// Returns how long caches may keep the file without revalidation.
    pub(super) fn caching(&self) -> &'static str {
        if self.name.starts_with(HASHED) { "public, max-age=31536000, immutable" } else { "no-cache" }
    }
}

/// Returns a tag that differs between builds. The hash of the page is enough, since it names all other files by hash.
pub(super) fn etag() -> &'static str {
    static OF_PAGE: LazyLock<String> = LazyLock::new(|| {
        let digest = Sha256::digest(find(PAGE).map_or(&[][..], |page| page.plain));
        let hex: Vec<String> = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        format!("\"{}\"", hex.concat())
    });
    &OF_PAGE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_names_files_that_are_there() {
        let page = String::from_utf8_lossy(find("").expect("there is a page").plain).into_owned();
        let named: Vec<&str> = page.split('"').filter_map(|part| part.strip_prefix("./")).collect();
        assert!(named.len() >= 3, "{page}");
        assert!(named.iter().all(|name| find(name).is_some()), "{named:?}");
    }

    #[test]
    fn only_files_with_a_hash_in_their_names_are_cached_forever() {
        for file in FILES {
            assert_eq!(file.caching().contains("immutable"), file.name.starts_with(HASHED), "{}", file.name);
        }
    }

    #[test]
    fn nothing_is_found_outside_of_the_table() {
        for name in ["../Cargo.toml", "assets/", "assets", "/etc/passwd", "index.html/"] {
            assert!(find(name).is_none(), "{name}");
        }
    }
}
