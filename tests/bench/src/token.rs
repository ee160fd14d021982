//! The internal token of a data folder's processes, to measure the embedder by itself.

use kimberly_crypto::{KeySources, Keys, Loads};
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::{Request, Status};

use crate::Result;
use crate::system::System;

/// A system's token, added to every call.
#[derive(Clone)]
pub(crate) struct Token(MetadataValue<Ascii>);

impl Token {
    /// The token of a system with encryption.
    pub(crate) fn of(system: &System) -> Result<Self> {
        let sources = KeySources { folder: Some(system.rings()), ..KeySources::default() };
        let keys = Keys::open(&system.data_dir(), &sources, Loads::MasterOnly)?;
        let token = keys.internal_token().ok_or("without encryption there is no token")?;
        Ok(Self(format!("Bearer {}", token.as_str()).parse()?))
    }
}

impl Interceptor for Token {
    fn call(&mut self, mut request: Request<()>) -> std::result::Result<Request<()>, Status> {
        request.metadata_mut().insert("authorization", self.0.clone());
        Ok(request)
    }
}
