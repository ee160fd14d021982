//! Every bound of the contract, on both sides: the last allowed value passes, the next one is refused with
//! `INVALID_ARGUMENT` and the field's path.
#![expect(clippy::panic, reason = "a helper of tests fails the test that calls it")]

mod conversations;
mod documents;
mod goals;
mod graph;
mod links;
mod lists;
mod memories;
mod records;
mod reviews;
mod settings;

use kimberly_proto::v1 as pb;
use kimberly_tests::calls::Call;
use kimberly_tests::{System, field_paths, reason};
use tonic::Code;

/// Checks requests against their bounds.
struct Judge {
    system: System,
}

impl Judge {
    async fn new() -> Self {
        let settings = [("KIMBERLY_QUOTAS__LONG_TERM", "64MiB"), ("KIMBERLY_AUTH__DEFAULT_USER", "")];
        Self { system: System::start_with(&settings).await }
    }

    /// Fails unless the request is accepted.
    async fn takes(&self, what: &str, request: impl Call) {
        if let Err(refused) = Box::pin(request.send(self.system.clients())).await {
            panic!("{what} was refused: {refused:?}");
        }
    }

    /// Fails unless the request is refused and the field is named.
    async fn refuses(&self, what: &str, field: &str, request: impl Call) {
        let Err(refused) = Box::pin(request.send(self.system.clients())).await else { panic!("{what} was taken") };
        assert_eq!(
            (refused.code(), reason(&refused).as_str()),
            (Code::InvalidArgument, "INVALID_FIELD"),
            "{what}: {refused:?}"
        );
        let named = field_paths(&refused);
        assert!(named.iter().any(|path| path == field), "{what}: {field} was expected, {named:?} are named");
    }

    /// `good` is accepted and `bad` is refused.
    async fn holds<C: Call>(&self, what: &str, field: &str, good: C, bad: C) {
        // Boxed, since some requests are large.
        Box::pin(self.takes(&format!("{what}, allowed"), good)).await;
        Box::pin(self.refuses(&format!("{what}, not allowed"), field, bad)).await;
    }
}

/// A text of this many bytes.
fn long(bytes: usize) -> String {
    "x".repeat(bytes)
}

/// This many different labels.
fn labels(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("label {n}")).collect()
}

fn user() -> String {
    "ana".to_owned()
}

/// A span of whole seconds.
fn seconds(seconds: i64) -> prost_types::Duration {
    prost_types::Duration { seconds, nanos: 0 }
}

#[tokio::test]
async fn user_ids() {
    let judge = Judge::new().await;
    let of = |user_id: &str| pb::ListMemoriesRequest { user_id: user_id.to_owned(), ..Default::default() };
    judge.holds("length of a user id", "user_id", of(&long(128)), of(&long(129))).await;
    for (what, bad) in [
        ("an empty user id", ""),
        ("a control character", "a\nb"),
        ("NUL", "a\0b"),
        ("white space", " a"),
        ("white space", "a "),
    ] {
        judge.refuses(what, "user_id", of(bad)).await;
    }
    judge.takes("a user id in any script", of("\u{5c71}\u{7530} \u{1F600}'; drop table--/../..")).await;
    let every = "user_id";
    judge.refuses("no user", every, pb::CreateMemoryRequest::default()).await;
    judge.refuses("no user", every, pb::QueryMemoriesRequest { query: "q".to_owned(), ..Default::default() }).await;
    judge.refuses("no user", every, pb::MeditateRequest::default()).await;
    judge.refuses("no user", every, pb::ListGoalsRequest::default()).await;
    judge.refuses("no user", every, pb::GetSettingsRequest::default()).await;
    judge.refuses("a bad user", every, pb::GetMetricsRequest { user_id: long(129) }).await;
}
