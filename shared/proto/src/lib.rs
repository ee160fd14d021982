//! The contract `kimberly.v1`: generated types, clients and servers, and the descriptor set for reflection.
//!
//! Only what must not be generated is written by hand here. `proto/kimberly/v1` documents the messages.
//! `tests/generated.rs` generates the files below `generated`, which are checked in so that no build compiles a generator.

mod codec;
mod secrets;

/// The package `kimberly.v1`.
#[allow(clippy::allow_attributes, clippy::pedantic, clippy::all, unused_qualifications, reason = "generated code")]
pub mod v1 {
    include!("generated/kimberly.v1.rs");
}

/// The package `kimberly.internal.v1`: calls between the processes of one Kimberly. Not public, not reflected.
#[allow(clippy::allow_attributes, clippy::pedantic, clippy::all, unused_qualifications, reason = "generated code")]
pub mod internal {
    include!("generated/kimberly.internal.v1.rs");
}

/// The encoded `google.protobuf.FileDescriptorSet` of the contract and its imports, with comments, for reflection.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!("generated/kimberly.v1.bin");

/// The same set without comments, which make up most of its size in memory.
pub const BARE_DESCRIPTOR_SET: &[u8] = include_bytes!("generated/kimberly.v1.bare.bin");
