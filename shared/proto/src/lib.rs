//! The contract `kimberly.v1`: generated types, clients and servers, and the descriptor set for reflection.
//!
//! Only what must not be generated is written by hand here. `proto/kimberly/v1` documents the messages.

mod codec;
mod secrets;

/// The package `kimberly.v1`.
#[allow(clippy::allow_attributes, clippy::pedantic, clippy::all, unused_qualifications, reason = "generated code")]
pub mod v1 {
    tonic::include_proto!("kimberly.v1");
}

/// The package `kimberly.internal.v1`: calls between the processes of one Kimberly. Not public, not reflected.
#[allow(clippy::allow_attributes, clippy::pedantic, clippy::all, unused_qualifications, reason = "generated code")]
pub mod internal {
    tonic::include_proto!("kimberly.internal.v1");
}

/// The encoded `google.protobuf.FileDescriptorSet` of the contract and its imports, with comments, for reflection.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/kimberly.v1.bin"));

/// The same set without comments, which make up most of its size in memory.
pub const BARE_DESCRIPTOR_SET: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/kimberly.v1.bare.bin"));
