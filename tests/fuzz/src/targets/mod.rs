//! The targets, grouped by the origin of their bytes. A target reports a violated invariant by a panic.
#![expect(clippy::expect_used, clippy::panic, reason = "a panic is the finding of a fuzzer")]

mod access;
mod archive;
mod blobs;
mod config;
mod contract;
mod http;
mod index;
mod keys;
mod model;
mod queue;
mod text;
mod trust;

use crate::Target;

pub(crate) const ALL: &[&[Target]] = &[
    access::TARGETS,
    archive::TARGETS,
    contract::TARGETS,
    http::TARGETS,
    text::TARGETS,
    keys::TARGETS,
    config::TARGETS,
    model::TARGETS,
    index::TARGETS,
    blobs::TARGETS,
    queue::TARGETS,
    trust::TARGETS,
];

/// Bytes as text; `None` if they are not UTF-8, since parsers of text get only UTF-8.
fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

fn seeds(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}
