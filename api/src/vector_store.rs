//! A client of the embedder, which stores uploaded vectors.

use std::net::SocketAddr;
use std::time::Duration;

use kimberly_core::UserId;
use kimberly_core::error::{Error, FieldViolation, Result, StorageFailure};
use kimberly_core::usecases::embedding::UploadInput;
use kimberly_proto::internal::vector_service_client::VectorServiceClient;
use kimberly_proto::internal::{StoreItem, StoreVectorsRequest, StoreVectorsResponse, Vector};
use tonic::Code;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, Endpoint};

use crate::InternalToken;

/// Timeout of one batch.
const DEADLINE: Duration = Duration::from_secs(20);
/// Timeout for connecting to the embedder.
const CONNECT: Duration = Duration::from_secs(1);
/// Maximum size of a batch in transit, in bytes: the bounds of an upload times the largest dimension.
const MAX_BYTES: usize = 32 << 20;

/// A client of the embedder. Cheap to clone. Connects on first use, and reconnects when necessary.
#[derive(Clone, Debug)]
pub struct VectorStore {
    client: VectorServiceClient<InterceptedService<Channel, InternalToken>>,
}

impl VectorStore {
    /// Creates a client for the embedder at this address, which presents the token. Must be called within a runtime.
    pub fn new(embedder: SocketAddr, token: InternalToken) -> Option<Self> {
        let endpoint = Endpoint::from_shared(format!("http://{embedder}")).ok()?;
        let channel = endpoint.connect_timeout(CONNECT).timeout(DEADLINE).connect_lazy();
        let client = VectorServiceClient::with_interceptor(channel, token);
        Some(Self { client: client.max_encoding_message_size(MAX_BYTES) })
    }

    /// Stores vectors. The outcomes are numbers of the contract, which equal the internal ones.
    pub(crate) async fn store(&self, user: &UserId, input: UploadInput) -> Result<Vec<i32>> {
        let given = input.model.clone();
        let items = input.items.into_iter().map(|item| StoreItem {
            id: item.id.to_string(),
            fingerprint: item.fingerprint,
            vectors: item.vectors.into_iter().map(|values| Vector { values }).collect(),
        });
        let request =
            StoreVectorsRequest { user_id: user.as_str().to_owned(), model: input.model, items: items.collect() };
        let answer = self.client.clone().store_vectors(request).await;
        let answer = answer.map_err(|status| match status.code() {
            Code::Internal => Error::storage(StorageFailure::Defect, format!("the embedder: {}", status.message())),
            code => {
                tracing::warn!(%code, why = status.message(), "the embedder accepted no vectors");
                Error::EmbedderUnavailable
            }
        })?;
        understood(answer.into_inner(), given)
    }
}

fn understood(answer: StoreVectorsResponse, given: String) -> Result<Vec<i32>> {
    if !answer.violations.is_empty() {
        let violation = |one: kimberly_proto::internal::StoreViolation| FieldViolation::new(one.field, one.problem);
        return Err(Error::Invalid(answer.violations.into_iter().map(violation).collect()));
    }
    if !answer.known_models.is_empty() {
        return Err(Error::WrongModel { given, known: answer.known_models });
    }
    match answer.off_by.as_str() {
        "" => Ok(answer.outcomes),
        "user" => Err(Error::EmbeddingsOff { by: "user" }),
        _ => Err(Error::EmbeddingsOff { by: "server" }),
    }
}
