//! The contract `kimberly.v1`: generated types, clients and servers, and the descriptor set for reflection.
//!
//! Nothing is written by hand here but what must not be generated; what the messages mean stands in `proto/kimberly/v1`.

mod secrets;

/// The package `kimberly.v1`.
#[allow(clippy::allow_attributes, clippy::pedantic, clippy::all, unused_qualifications, reason = "generated code")]
pub mod v1 {
    tonic::include_proto!("kimberly.v1");
}

/// The package `kimberly.internal.v1`: what processes of one Kimberly say to each other. Not public, not reflected.
#[allow(clippy::allow_attributes, clippy::pedantic, clippy::all, unused_qualifications, reason = "generated code")]
pub mod internal {
    tonic::include_proto!("kimberly.internal.v1");
}

/// The encoded `google.protobuf.FileDescriptorSet` of the contract and what it imports, for reflection.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/kimberly.v1.bin"));
