//! `[embedder]`: the process that will own the embedding model. No model can be configured yet, so embeddings are off.

use std::net::{Ipv4Addr, SocketAddr};

use serde::{Deserialize, Serialize};

use super::Problems;

/// Settings of the embedder process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EmbedderConfig {
    /// Address and port that health is served on; a loopback address.
    pub listen: SocketAddr,
}

impl Default for EmbedderConfig {
    fn default() -> Self {
        Self { listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 7422)) }
    }
}

impl EmbedderConfig {
    pub(super) fn check(&self, problems: &mut Problems) {
        problems.loopback("embedder.listen", self.listen);
    }
}
