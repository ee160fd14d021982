//! Errors in descriptors.

/// Why a contract cannot be transcoded. Occurs only at start, as a defect of the contract.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The descriptor set is malformed or incomplete.
    #[error("the descriptor set cannot be read: {0}")]
    Descriptors(#[from] prost_reflect::DescriptorError),
    /// The descriptor set lacks a type that transcoding needs.
    #[error("the descriptor set lacks {0}; compile it with its imports")]
    Missing(&'static str),
    /// An annotation is invalid or unsupported.
    #[error("{rpc}: {problem}")]
    Annotation {
        /// The rpc.
        rpc: String,
        /// The problem, and the supported values.
        problem: String,
    },
}
