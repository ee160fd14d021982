//! The common parts of streams: a permit among a bounded number, the caller's deadline, and an end when the process
//! stops.
//!
//! A stream computes its next message only when its client can take one, so a slow client slows down only its own
//! stream. A step that has begun runs to its end, whether or not its message is requested. Thus a client that does not
//! read never holds what a step holds, such as a turn or a snapshot of a vault.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use futures::Stream;
use futures::stream::try_unfold;
use kimberly_core::Error;
use kimberly_core::error::StorageFailure;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use tonic::{Extensions, Status};
use tracing::Instrument as _;

use crate::auth::Session;
use crate::calls::StreamPermit;
use crate::connections::Leaving;
use crate::layers::Deadline;
use crate::{Api, status};

/// The messages of a stream.
pub(crate) type Messages<M> = Pin<Box<dyn Stream<Item = Result<M, Status>> + Send>>;

/// The source of a stream's messages.
pub(crate) trait Source: Send + 'static {
    /// The type of the messages.
    type Message: Send + 'static;

    /// Returns the next message. `None` ends the stream successfully, an error ends it with its status.
    fn next(&mut self) -> impl Future<Output = Result<Option<Self::Message>, Status>> + Send;
}

/// Converts a source to a stream of its messages.
pub(crate) fn messages<S: Source>(source: S) -> Messages<S::Message> {
    Box::pin(try_unfold(source, step))
}

/// Computes the next message in its own task, independent of the reader. Aborted if the stream is dropped.
async fn step<S: Source>(mut source: S) -> Result<Option<(S::Message, S)>, Status> {
    // The connection asks for the next message before it sends the previous one. If the next one is pending, it sends
    // the previous one, and asks again only when its client takes more. Until then nothing is computed.
    tokio::task::yield_now().await;
    let next = async move { source.next().await.map(|message| message.map(|message| (message, source))) };
    let done = AbortOnDropHandle::new(tokio::spawn(next.in_current_span())).await;
    done.unwrap_or_else(|_| Err(status::status(Error::storage(StorageFailure::Defect, "a step of a stream panicked"))))
}

/// The state of a running stream.
pub(crate) struct Running {
    /// When the caller's deadline passes, and how long after the start of the call that is.
    deadline: Option<(Instant, Duration)>,
    leaving: Leaving,
    /// The credential of the stream. The stream ends when it is no longer valid.
    session: Option<Session>,
    permit: Option<HeldPermit>,
}

/// The permit of a stream, freed when the stream is dropped.
enum HeldPermit {
    Taken {
        _permit: StreamPermit,
    },
    /// Freed at the caller's deadline. A stream whose client does not read is not polled, so it would not end then.
    Until {
        _deadline: AbortOnDropHandle<()>,
    },
}

impl Running {
    /// Creates a stream that takes its permit later, when it is admitted. Only the caller's deadline applies, since
    /// streams may be long.
    pub(crate) fn without_permit(api: &Api, extensions: &Extensions) -> Self {
        Self::begun(&api.stop, extensions)
    }

    fn begun(stop: &CancellationToken, extensions: &Extensions) -> Self {
        let deadline = extensions.get::<Deadline>().and_then(|deadline| deadline.of_caller());
        let leaving = extensions.get::<Leaving>().cloned();
        let leaving = leaving.unwrap_or_else(|| Leaving::new(stop.clone(), stop.clone()));
        Self { deadline, leaving, session: extensions.get::<Session>().cloned(), permit: None }
    }

    /// Takes the permit of a stream that had none.
    pub(crate) fn take(&mut self, permit: StreamPermit) {
        self.permit = Some(match self.deadline {
            None => HeldPermit::Taken { _permit: permit },
            Some((deadline, _)) => {
                let holding = async move {
                    tokio::time::sleep_until(deadline).await;
                    drop(permit);
                };
                HeldPermit::Until { _deadline: AbortOnDropHandle::new(tokio::spawn(holding)) }
            }
        });
    }

    /// Returns the result of `work`, or fails with the reason if the stream ends first.
    pub(crate) async fn wait<T>(&self, work: impl Future<Output = T>) -> Result<T, Status> {
        if let Some(session) = &self.session {
            session.check().await?;
        }
        tokio::select! {
            biased;
            over = self.over() => Err(over),
            done = work => Ok(done),
        }
    }

    /// Waits until the stream must end, and returns the reason.
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
        let ended = async {
            match &self.session {
                Some(session) => session.ended().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            why = self.leaving.clone().over() => why,
            why = ended => why,
            after = late => status::deadline_exceeded(after),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures::TryStreamExt as _;
    use tokio::sync::Semaphore;
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
        messages(Count(Running::begun(stop, extensions), 0))
    }

    #[tokio::test]
    async fn stream_ends_well_after_its_last_message() {
        let all: Vec<u32> = count(&CancellationToken::new(), &Extensions::new()).try_collect().await.unwrap();
        assert_eq!(all, [1, 2, 3]);
    }

    /// Takes the only permit for each of its messages.
    struct Holding(Arc<Semaphore>);

    impl Source for Holding {
        type Message = ();

        async fn next(&mut self) -> Result<Option<()>, Status> {
            let _permit = self.0.acquire().await.unwrap();
            tokio::task::yield_now().await;
            tokio::time::sleep(Duration::from_millis(1)).await;
            Ok(Some(()))
        }
    }

    #[tokio::test]
    async fn step_that_no_reader_awaits_holds_nothing() {
        let permit = Arc::new(Semaphore::new(1));
        let mut streams: Vec<_> = (0..3).map(|_| messages(Holding(Arc::clone(&permit)))).collect();
        for stream in &mut streams {
            stream.try_next().await.unwrap();
            // Polled for more, as by a connection whose client stops reading.
            for _ in 0..3 {
                assert!(futures::poll!(stream.try_next()).is_pending());
            }
        }
        drop(permit.acquire().await.unwrap());
    }

    /// Counts its steps.
    struct Counted(Arc<AtomicUsize>);

    impl Source for Counted {
        type Message = usize;

        async fn next(&mut self) -> Result<Option<usize>, Status> {
            Ok(Some(self.0.fetch_add(1, Ordering::Relaxed) + 1))
        }
    }

    #[tokio::test]
    async fn connection_that_asks_for_more_sends_what_it_has_before_another_step_begins() {
        let steps = Arc::new(AtomicUsize::new(0));
        let mut stream = messages(Counted(Arc::clone(&steps)));
        for sent in 1..4 {
            assert_eq!(stream.try_next().await.unwrap(), Some(sent));
            assert!(futures::poll!(stream.try_next()).is_pending());
            for _ in 0..10 {
                tokio::task::yield_now().await;
            }
            assert_eq!(steps.load(Ordering::Relaxed), sent, "the client has not taken message {sent} yet");
        }
    }

    #[tokio::test]
    async fn step_ends_with_its_stream() {
        let permit = Arc::new(Semaphore::new(0));
        let mut stream = messages(Holding(Arc::clone(&permit)));
        for _ in 0..3 {
            assert!(futures::poll!(stream.try_next()).is_pending());
            tokio::task::yield_now().await;
        }
        assert_eq!(Arc::strong_count(&permit), 2);
        drop(stream);
        while Arc::strong_count(&permit) > 1 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn stream_ends_with_its_connection_and_with_the_process() {
        let (stop, leaving) = (CancellationToken::new(), CancellationToken::new());
        let mut extensions = Extensions::new();
        extensions.insert(Leaving::new(leaving.clone(), stop.clone()));
        leaving.cancel();
        let ended = count(&stop, &extensions).try_collect::<Vec<_>>().await.unwrap_err();
        assert_eq!(ended.code(), Code::Unavailable);
        assert!(ended.message().contains("connection"), "{ended:?}");
        stop.cancel();
        let ended = count(&stop, &Extensions::new()).try_collect::<Vec<_>>().await.unwrap_err();
        assert!(ended.message().contains("stopping"), "{ended:?}");
    }
}
