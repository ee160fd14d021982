//! Tags by rules: how a record arrived, its source, and its file types.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::File;
use crate::extraction::secrets;
use crate::memory::{Memory, Source};

/// The tags for hosts and schemes; `connectors.txt` describes the format.
static CONNECTORS: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let lines = include_str!("connectors.txt").lines().filter(|line| !line.starts_with('#'));
    let entries = lines.filter_map(|line| line.split_once('='));
    entries.flat_map(|(tag, names)| names.split(',').map(move |name| (name.trim(), tag.trim()))).collect()
});
/// Most characters of a file extension.
const LONGEST_EXTENSION: usize = 8;
/// Media subtypes without information.
const TELLS_NOTHING: [&str; 2] = ["plain", "octet-stream"];
/// Media types that say more than their subtypes.
const BROAD: [&str; 3] = ["image", "audio", "video"];

/// The tags that rules give a record with these files, the most telling first; may contain duplicates.
pub(super) fn tags(memory: &Memory, files: &[File]) -> impl Iterator<Item = String> {
    let draft = &memory.draft;
    let named = draft.name.as_deref().and_then(extension);
    let connector = draft.source_ref.as_deref().and_then(connector).map(str::to_owned);
    let of_files = files.iter().flat_map(|file| [extension(&file.name), kind(&file.media_type)]).flatten();
    let of_files: Vec<String> = of_files.collect();
    [Some(source(draft.metadata.source).to_owned()), connector, named].into_iter().flatten().chain(of_files)
}

const fn source(source: Source) -> &'static str {
    match source {
        Source::Chat => "chat",
        Source::Agent => "agent",
        Source::Import => "import",
        Source::Upload => "upload",
    }
}

/// The tag for a reference: by the host of its URL, or by its scheme.
fn connector(reference: &str) -> Option<&'static str> {
    let (scheme, rest) = reference.split_once(':')?;
    let host = rest.strip_prefix("//").and_then(|rest| rest.split(['/', '?', '#']).next());
    let host =
        host.map(|host| host.rsplit('@').next().unwrap_or(host)).map(|host| host.split(':').next().unwrap_or(host));
    let host = host.map(str::to_ascii_lowercase).unwrap_or_default();
    let domains = std::iter::successors(Some(host.as_str()), |domain| domain.split_once('.').map(|(_, rest)| rest));
    let known = domains.filter(|domain| domain.contains('.')).find_map(|domain| CONNECTORS.get(domain));
    known.or_else(|| CONNECTORS.get(scheme.to_ascii_lowercase().as_str())).copied()
}

/// The extension of a file name, if it tells the type.
fn extension(path: &str) -> Option<String> {
    let (name, extension) = last(path).rsplit_once('.').filter(|_| secrets(path).is_empty())?;
    let fits = extension.len() <= LONGEST_EXTENSION && extension.chars().all(|c| c.is_ascii_alphanumeric());
    let tells = !name.is_empty() && fits && extension.starts_with(|c: char| c.is_ascii_alphabetic());
    tells.then(|| extension.to_ascii_lowercase())
}

/// The name of a file without folders and extension.
pub(super) fn stem(path: &str) -> &str {
    let name = last(path);
    if extension(name).is_some() { name.rsplit_once('.').map_or(name, |(stem, _)| stem) } else { name }
}

fn last(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The more telling part of a media type.
fn kind(media_type: &str) -> Option<String> {
    let (broad, narrow) = media_type.split(';').next()?.trim().split_once('/')?;
    let tag = if BROAD.contains(&broad) { broad } else { narrow };
    let short = tag.len() <= LONGEST_EXTENSION && tag.chars().all(|c| c.is_ascii_alphanumeric());
    (short && !TELLS_NOTHING.contains(&tag)).then(|| tag.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_name_the_service_that_they_lead_to() {
        for (reference, tag) in [
            ("https://docs.google.com/document/d/1", Some("google-drive")),
            ("https://acme.slack.com/archives/C1?thread=2", Some("slack")),
            ("https://me@GitHub.com:443/a/b", Some("github")),
            ("slack:C024BE91L", Some("slack")),
            ("Notion://page/1", Some("notion")),
            ("https://notslack.com/", None),
            ("https://example.org/slack.com", None),
            ("slack", None),
            ("", None),
        ] {
            assert_eq!(connector(reference), tag, "{reference}");
        }
    }

    #[test]
    fn files_tell_what_they_are_by_their_ending_and_their_type() {
        for (name, tag) in [
            ("notes/Travel.MD", Some("md")),
            ("Q4_Budget.pdf", Some("pdf")),
            ("C:\\a\\menu.docx", Some("docx")),
            (".bashrc", None),
            ("v1.2", None),
            ("a.b c", None),
            ("end of a sentence.", None),
            ("x.ninechars", None),
        ] {
            assert_eq!(extension(name).as_deref(), tag, "{name}");
        }
        assert_eq!([stem("a/b/Q4_Budget.pdf"), stem("v1.2"), stem(".bashrc")], ["Q4_Budget", "v1.2", ".bashrc"]);
        let kinds =
            ["image/png", "application/pdf", "text/plain", "application/octet-stream", "text/html; charset=utf-8", ""];
        let found = kinds.map(|kind| super::kind(kind).unwrap_or_default());
        assert_eq!(found, ["image", "pdf", "", "", "html", ""]);
    }
}
