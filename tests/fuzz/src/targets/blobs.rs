//! Objects of attachments, as stored in files or in an object store.

use kimberly_blobs::fuzzing;

use crate::Target;

pub(super) const TARGETS: &[Target] = &[
    Target { name: "blob", about: "an object of an attachment", seeds: objects, run: fuzzing::object },
    Target { name: "blob_frame", about: "a frame of an attachment, opened", seeds: frames, run: fuzzing::frame },
];

fn objects() -> Vec<Vec<u8>> {
    vec![fuzzing::an_object(b""), fuzzing::an_object(b"some bytes"), fuzzing::an_object(&[7; 100_000])]
}

fn frames() -> Vec<Vec<u8>> {
    vec![vec![1, 0, 1, 2, 3], vec![1, 1, 0x28, 0xb5, 0x2f, 0xfd, 0x20, 3, 0x19, 0, 0, 1, 2, 3]]
}
