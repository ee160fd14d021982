//! Bounds of attachments and of their uploads.

/// Most attachments of a memory.
pub const MAX_ATTACHMENTS_PER_MEMORY: usize = 64;
/// Most memories that one attachment is attached to.
pub const MAX_MEMORIES_PER_ATTACHMENT: usize = 10_000;
/// Most attachments of a user.
pub const MAX_ATTACHMENTS: usize = 10_000;
/// Longest name of an attachment, in bytes.
pub const MAX_ATTACHMENT_NAME_BYTES: usize = 255;
/// Longest media type of an attachment, in bytes.
pub const MAX_MEDIA_TYPE_BYTES: usize = 127;
/// Largest piece of an upload, in bytes.
pub const MAX_ATTACHMENT_PIECE_BYTES: usize = 1024 * 1024;
/// Largest attachment that any configuration may allow, in bytes.
pub const ABSOLUTE_MAX_ATTACHMENT_BYTES: u64 = 4 * 1024 * 1024 * 1024;
