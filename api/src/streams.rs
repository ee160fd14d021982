//! What every stream has: a place among a bounded number, the caller's deadline, and an end when the process stops.
//!
//! A stream computes its next message only when its client can take one: a slow client slows its own stream down and
//! nothing else.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use futures::Stream;
use futures::stream::try_unfold;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tonic::{Extensions, Request, Status};

use crate::calls::{OfUser, StreamPlace};
use crate::connections::Leaving;
use crate::layers::Deadline;
use crate::{Api, status};

/// Messages of a stream.
pub(crate) type Messages<M> = Pin<Box<dyn Stream<Item = Result<M, Status>> + Send>>;

/// What a stream is made of.
pub(crate) trait Source: Send + 'static {
    /// What it sends.
    type Message: Send;

    /// The next message; `None` ends the stream well, an error ends it with its status.
    fn next(&mut self) -> impl Future<Output = Result<Option<Self::Message>, Status>> + Send;
}

/// The messages of a source.
pub(crate) fn messages<S: Source>(source: S) -> Messages<S::Message> {
    Box::pin(try_unfold(source, |mut source| async move { Ok(source.next().await?.map(|message| (message, source))) }))
}

/// A stream that is under way.
pub(crate) struct Running {
    /// When the caller's deadline passes, and how long that is after the call began.
    deadline: Option<(Instant, Duration)>,
    stop: CancellationToken,
    /// Cancelled when the connection or the server ends.
    leaving: CancellationToken,
    place: Option<StreamPlace>,
}

impl Running {
    /// A stream for a request that is known; fails if all places are taken. Of deadlines only the caller's holds: streams
    /// may be long.
    pub(crate) fn of<M: OfUser>(api: &Api, request: &Request<M>) -> Result<Self, Status> {
        let place = api.calls.stream(request.get_ref())?;
        Ok(Self { place: Some(place), ..Self::without_place(&api.stop, request.extensions()) })
    }

    /// A stream that takes its place when it knows for whom.
    pub(crate) fn without_place(stop: &CancellationToken, extensions: &Extensions) -> Self {
        let deadline = extensions.get::<Deadline>().and_then(|deadline| deadline.of_caller());
        let leaving = extensions.get::<Leaving>().map_or_else(|| stop.clone(), |leaving| leaving.0.clone());
        Self { deadline, stop: stop.clone(), leaving, place: None }
    }

    /// Takes the place of a stream that had none.
    pub(crate) fn take(&mut self, place: StreamPlace) {
        self.place = Some(place);
    }

    /// The outcome of `work`, or why the stream ends before.
    pub(crate) async fn wait<T>(&self, work: impl Future<Output = T>) -> Result<T, Status> {
        tokio::select! {
            biased;
            over = self.over() => Err(over),
            done = work => Ok(done),
        }
    }

    /// Waits until the stream must end, and says why.
    pub(crate) async fn over(&self) -> Status {
        let late = async {
            match self.deadline {
                Some((deadline, after)) => {
                    tokio::time::sleep_until(deadline).await;
                    after
                }
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = self.leaving.cancelled() => {
                if self.stop.is_cancelled() { status::shutting_down() } else { status::reconnect() }
            }
            after = late => status::deadline_exceeded(after),
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::TryStreamExt as _;
    use tonic::Code;

    use super::*;

    struct Count(Running, u32);

    impl Source for Count {
        type Message = u32;

        async fn next(&mut self) -> Result<Option<u32>, Status> {
            self.0.wait(std::future::ready(())).await?;
            self.1 += 1;
            Ok((self.1 <= 3).then_some(self.1))
        }
    }

    fn count(stop: &CancellationToken, extensions: &Extensions) -> Messages<u32> {
        messages(Count(Running::without_place(stop, extensions), 0))
    }

    #[tokio::test]
    async fn stream_ends_well_after_its_last_message() {
        let all: Vec<u32> = count(&CancellationToken::new(), &Extensions::new()).try_collect().await.unwrap();
        assert_eq!(all, [1, 2, 3]);
    }

    #[tokio::test]
    async fn stream_ends_with_its_connection_and_with_the_process() {
        let (stop, leaving) = (CancellationToken::new(), CancellationToken::new());
        let mut extensions = Extensions::new();
        extensions.insert(Leaving(leaving.clone()));
        leaving.cancel();
        let ended = count(&stop, &extensions).try_collect::<Vec<_>>().await.unwrap_err();
        assert_eq!(ended.code(), Code::Unavailable);
        assert!(ended.message().contains("connection"), "{ended:?}");
        stop.cancel();
        let ended = count(&stop, &Extensions::new()).try_collect::<Vec<_>>().await.unwrap_err();
        assert!(ended.message().contains("stopping"), "{ended:?}");
    }
}
