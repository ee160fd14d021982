//! `StoreVectors`: validates vectors computed elsewhere against the vault, and stores them. `DropUser`: drops those
//! of a purged user.

use kimberly_core::error::Error;
use kimberly_core::usecases::App;
use kimberly_core::usecases::embedding::{SubjectId, UploadInput, UploadItem, UploadOutcome, VectorUpdater};
use kimberly_core::{Result, UserId};
use kimberly_proto::internal::vector_service_server::VectorService;
use kimberly_proto::internal::{
    DropUserRequest, DropUserResponse, StoreOutcome, StoreVectorsRequest, StoreVectorsResponse, StoreViolation,
};
use tonic::{Request, Response, Status};

use super::status::{self, Refusal};
use crate::sync::Turns;

/// Serves [`VectorService`].
#[derive(Clone)]
pub struct Store {
    app: App,
    updater: VectorUpdater,
    turns: Turns,
}

impl Store {
    /// A service over these indices, which locks one user at a time.
    pub const fn new(app: App, updater: VectorUpdater, turns: Turns) -> Self {
        Self { app, updater, turns }
    }

    /// Waits for a running sync or upload. No other can start afterwards, since the vault is hidden.
    async fn drop_indices(&self, user: &str) -> Result<()> {
        let user = UserId::parse(user)?;
        let _turn = self.turns.take(&user).await?;
        self.updater.vectors.drop_all(&user)
    }

    async fn store(&self, request: StoreVectorsRequest) -> Result<Vec<UploadOutcome>> {
        let user = UserId::parse(&request.user_id)?;
        let item = |item: kimberly_proto::internal::StoreItem| {
            Ok(UploadItem {
                id: SubjectId::parse("items.id", &item.id)?,
                fingerprint: item.fingerprint,
                vectors: item.vectors.into_iter().map(|vector| vector.values).collect(),
            })
        };
        let items = request.items.into_iter().map(item).collect::<Result<_>>()?;
        let _turn = self.turns.take(&user).await?;
        self.app.upload_embeddings(&self.updater, &user, UploadInput { model: request.model, items }).await
    }
}

#[tonic::async_trait]
impl VectorService for Store {
    async fn store_vectors(
        &self,
        request: Request<StoreVectorsRequest>,
    ) -> std::result::Result<Response<StoreVectorsResponse>, Status> {
        answer(self.store(request.into_inner()).await).map(Response::new)
    }

    async fn drop_user(
        &self,
        request: Request<DropUserRequest>,
    ) -> std::result::Result<Response<DropUserResponse>, Status> {
        let dropped = self.drop_indices(&request.into_inner().user_id).await;
        dropped.map(|()| Response::new(DropUserResponse {})).map_err(|error| status::of(refusal(&error)))
    }
}

/// Reports an invalid request in the response, so that the api can return it as its own error.
fn answer(outcome: Result<Vec<UploadOutcome>>) -> std::result::Result<StoreVectorsResponse, Status> {
    let mut answer = StoreVectorsResponse::default();
    match outcome {
        Ok(outcomes) => answer.outcomes = outcomes.into_iter().map(|one| wire(one) as i32).collect(),
        Err(Error::Invalid(violations)) => {
            let violation =
                |one: kimberly_core::FieldViolation| StoreViolation { field: one.field, problem: one.problem };
            answer.violations = violations.into_iter().map(violation).collect();
        }
        Err(Error::WrongModel { known, .. }) => answer.known_models = known,
        Err(Error::EmbeddingsOff { by }) => by.clone_into(&mut answer.off_by),
        Err(error) => return Err(status::of(refusal(&error))),
    }
    Ok(answer)
}

fn refusal(error: &Error) -> Refusal {
    tracing::warn!(%error, "vectors were not stored or dropped");
    match error {
        Error::Storage { failure, .. } if failure.may_pass() => {
            Refusal::Unavailable("storage is busy or full, or its disk failed".into())
        }
        Error::Purging => Refusal::Unavailable("the user is being purged".into()),
        _ => Refusal::Defect("the vectors cannot be stored; the log says why".into()),
    }
}

const fn wire(outcome: UploadOutcome) -> StoreOutcome {
    match outcome {
        UploadOutcome::Stored => StoreOutcome::Stored,
        UploadOutcome::Unchanged => StoreOutcome::Unchanged,
        UploadOutcome::Stale => StoreOutcome::Stale,
        UploadOutcome::NotEligible => StoreOutcome::NotEligible,
        UploadOutcome::OverCap => StoreOutcome::OverCap,
    }
}
