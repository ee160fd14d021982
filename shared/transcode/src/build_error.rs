//! What can be wrong with descriptors.

/// Why a contract cannot be transcoded. Made at start only: a defect of the contract, not of a request.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The descriptor set does not decode, or refers to what it does not hold.
    #[error("the descriptor set cannot be read: {0}")]
    Descriptors(#[from] prost_reflect::DescriptorError),
    /// The descriptor set does not hold a type that transcoding needs.
    #[error("the descriptor set holds no {0}; compile it with its imports")]
    Missing(&'static str),
    /// An annotation says something that is wrong or not supported.
    #[error("{rpc}: {problem}")]
    Annotation {
        /// The rpc.
        rpc: String,
        /// What is wrong, and what is supported.
        problem: String,
    },
}
