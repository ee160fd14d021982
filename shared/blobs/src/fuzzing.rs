//! The parsers of this crate, for `tests/fuzz`. A panic reports a broken guarantee.
#![expect(clippy::expect_used, clippy::missing_panics_doc, reason = "a panic is the finding of a fuzzer")]

use kimberly_core::ids::{BlobId, UserId};

use crate::FRAME;
use crate::frames::{Packer, Unpacker, unpacked};
use crate::keys::{BlobSeal, UserBlobs};

fn seal() -> BlobSeal {
    let user = UserId::parse("ana").expect("an id");
    let blobs = UserBlobs::of_anybody(&user).ok().flatten().expect("the key that everybody has");
    blobs.to_write(BlobId(uuid::Uuid::from_u128(7)), false).expect("a key").1
}

/// Returns a valid object of these bytes.
pub fn an_object(bytes: &[u8]) -> Vec<u8> {
    let (mut packer, mut out) = (Packer::new(seal()), Vec::new());
    packer.push(bytes, &mut out).and_then(|()| packer.finish(&mut out)).expect("an object");
    out
}

/// Decodes a stored object that arrives in two pieces.
pub fn object(bytes: &[u8]) {
    let mut unpacker = Unpacker::new(seal());
    let (first, second) = bytes.split_at(bytes.len() / 3);
    let mut most = 0;
    for piece in [first, second] {
        unpacker.push(piece);
        loop {
            match unpacker.next(0) {
                Ok(Some(frame)) => most += frame.len(),
                Ok(None) => break,
                Err(_refused) => return,
            }
        }
    }
    let frames = usize::try_from(unpacker.index()).expect("few frames");
    assert!(most <= frames * FRAME, "frames are longer than FRAME");
    let _whole = unpacker.end();
}

/// Decompresses an opened frame. The lowest bit of the first byte says whether the frame is the last one.
pub fn frame(bytes: &[u8]) {
    let Some((last, bytes)) = bytes.split_first() else { return };
    if let Ok(unpacked) = unpacked(bytes, last & 1 == 1) {
        assert!(unpacked.len() <= FRAME, "a frame is longer than FRAME");
    }
}
