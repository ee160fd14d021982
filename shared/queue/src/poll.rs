//! When a waiting consumer polls: at a push in this process, and at an interval that grows from `busy` to `idle`
//! while no job comes.
//!
//! Replaces apalis's `IntervalStrategy`, which resets its timer without polling it: its next wake-up then depends on
//! something else polling the worker again.

use std::{
    future::Future,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use apalis_core::backend::ext::poll_strategy::{PollSnapshot, PollStrategy};
use futures::task::AtomicWaker;
use tokio::time::{Instant, Sleep};

use crate::options::PollOptions;

/// A push can commit during a fetch that started before it: poll again after this delay.
const SECOND_LOOK: Duration = Duration::from_millis(3);

/// Wakes the consumer of the same process at a push.
#[derive(Debug, Default)]
pub(crate) struct Bell {
    rung: AtomicBool,
    waker: AtomicWaker,
}

impl Bell {
    pub(crate) fn ring(&self) {
        self.rung.store(true, Ordering::Release);
        self.waker.wake();
    }
}

/// The poll strategy for apalis.
#[derive(Debug)]
pub(crate) struct BellAndInterval {
    bell: Arc<Bell>,
    options: PollOptions,
    last_work: Instant,
    timer: Pin<Box<Sleep>>,
}

impl BellAndInterval {
    pub(crate) fn new(bell: Arc<Bell>, options: PollOptions) -> Self {
        Self { bell, options, last_work: Instant::now(), timer: Box::pin(tokio::time::sleep(options.busy)) }
    }

    fn interval(&self) -> Duration {
        let shortest = self.options.busy.max(Duration::from_millis(1));
        (self.last_work.elapsed() / 8).clamp(shortest, self.options.idle.max(shortest))
    }
}

impl PollStrategy for BellAndInterval {
    fn poll_drive(&mut self, cx: &mut Context<'_>, _: &PollSnapshot) -> Poll<Option<()>> {
        self.bell.waker.register(cx.waker());
        if self.bell.rung.swap(false, Ordering::AcqRel) {
            self.last_work = Instant::now();
            self.timer.as_mut().reset(Instant::now() + SECOND_LOOK);
        }
        // Polled until pending, so that the timer always holds our waker.
        while self.timer.as_mut().poll(cx).is_ready() {
            let next = Instant::now() + self.interval();
            self.timer.as_mut().reset(next);
        }
        Poll::Ready(Some(()))
    }

    fn on_poll(&mut self, snapshot: &PollSnapshot) {
        if snapshot.consecutive_ready > 0 {
            self.last_work = Instant::now();
        }
    }
}
