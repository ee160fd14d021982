//! Conversations that arrive as streams.

use kimberly_core::settings::ServerDefaults;
use kimberly_proto::v1::MessageOutcome::{Duplicate, Invalid, Past, Stored};
use kimberly_proto::v1::conversation_service_client::ConversationServiceClient;
use kimberly_proto::v1::observe_stream_request::Part;
use kimberly_proto::v1::{self, MessageOutcome};
use kimberly_runtime::config::{ApiConfig, Bytes};
use tonic::transport::Channel;
use tonic::{Code, Status};

use crate::common::{Served, USER, reason};

fn start() -> Part {
    Part::Start(v1::ObserveStart { user_id: USER.to_owned(), session_id: "s".to_owned(), ..Default::default() })
}

fn said(content: &str) -> v1::Message {
    v1::Message { role: v1::Role::User.into(), content: content.to_owned(), ..Default::default() }
}

/// Returns a history that consists mostly of "ok".
fn history(count: usize) -> Vec<v1::Message> {
    (0..count).map(|n| if n % 5 == 1 { said(&format!("note {n}")) } else { said("ok") }).collect()
}

fn conversations(served: &Served) -> ConversationServiceClient<Channel> {
    ConversationServiceClient::new(served.channel.clone())
}

/// The outcomes of the messages, how many were received after each piece, and the final status of the stream.
struct Answered {
    observed: Vec<v1::ObservedMessage>,
    taken: Vec<i64>,
    end: Result<(), Status>,
}

impl Answered {
    fn count(&self, outcome: MessageOutcome) -> usize {
        self.observed.iter().filter(|one| one.outcome() == outcome).count()
    }

    fn ids(&self) -> Vec<&str> {
        self.observed.iter().map(|one| one.id.as_str()).collect()
    }

    fn refusal(&self) -> (Code, String) {
        let (code, name, _) = reason(self.end.as_ref().unwrap_err());
        (code, name)
    }
}

async fn send(served: &Served, parts: Vec<Part>) -> Answered {
    let requests = parts.into_iter().map(|part| v1::ObserveStreamRequest { part: Some(part) });
    let requests: Vec<_> = requests.collect();
    let mut answers = conversations(served).observe_stream(tokio_stream::iter(requests)).await.unwrap().into_inner();
    let mut answered = Answered { observed: Vec::new(), taken: Vec::new(), end: Ok(()) };
    loop {
        match answers.message().await {
            Ok(Some(answer)) => {
                answered.observed.extend(answer.piece.unwrap_or_default().messages);
                assert_eq!(usize::try_from(answer.taken), Ok(answered.observed.len()), "each is answered once");
                answered.taken.extend(Some(answer.taken).filter(|taken| *taken > 0));
            }
            Ok(None) => return answered,
            Err(status) => return Answered { end: Err(status), ..answered },
        }
    }
}

fn told(messages: &[v1::Message]) -> Vec<Part> {
    [start()].into_iter().chain(messages.iter().cloned().map(Part::Message)).collect()
}

async fn stream(served: &Served, messages: &[v1::Message]) -> Answered {
    let answered = send(served, told(messages)).await;
    answered.end.as_ref().unwrap();
    answered
}

/// Observes messages in one call. Returns how many are stored.
async fn observe(served: &Served, messages: Vec<v1::Message>) -> i32 {
    let request =
        v1::ObserveRequest { user_id: USER.to_owned(), session_id: "s".to_owned(), messages, ..Default::default() };
    conversations(served).observe(request).await.unwrap().into_inner().stored
}

#[tokio::test]
async fn a_long_history_of_short_texts_is_stored_once() {
    let served = Served::start().await;
    let history = history(2_500);
    let first = stream(&served, &history).await;
    assert_eq!((first.count(Stored), first.taken.as_slice()), (2_500, [1_000, 2_000, 2_500].as_slice()));
    let again = stream(&served, &history).await;
    assert_eq!((again.count(Duplicate), again.ids()), (2_500, first.ids()), "sent again");
    let longer = [history, vec![said("ok"), said("one more"), said("ok")]].concat();
    let more = stream(&served, &longer).await;
    assert_eq!((more.count(Duplicate), more.count(Stored)), (2_500, 3), "with what is new");
    let by_client = v1::Message { id: "said-d675e72d668f41b807ade85dc5b4a888".to_owned(), ..said("ok") };
    assert_eq!(observe(&served, vec![by_client]).await, 0, "by the id that clients made");
}

#[tokio::test]
async fn a_stream_that_broke_is_completed_whatever_was_said_in_between() {
    let served = Served::start().await;
    let history = history(2_500);
    let broken = send(&served, [told(&history[..1_700]), vec![start()]].concat()).await;
    assert_eq!((broken.count(Stored), broken.refusal().1.as_str()), (1_000, "STREAM_ORDER"), "whole pieces");
    assert_eq!(observe(&served, vec![said("note 1501"), said("something else"), said("ok"), said("ok")]).await, 4);
    let again = stream(&served, &history).await;
    assert_eq!((again.count(Duplicate), again.count(Stored)), (1_000, 1_500));
    assert_eq!(again.ids()[..1_000], broken.ids()[..]);
    assert_eq!(observe(&served, vec![said("what else?"), said("ok")]).await, 2);
    assert_eq!(stream(&served, &history).await.ids(), again.ids());
}

#[tokio::test]
async fn a_wrong_message_is_left_out_of_a_stream_and_named() {
    let served = Served::start().await;
    let history = history(1_200);
    let mut wrong = history.clone();
    wrong[1_100].role = 0;
    wrong[1_101].content = "no\0te".to_owned();
    let answered = stream(&served, &wrong).await;
    assert_eq!((answered.count(Stored), answered.count(Invalid)), (1_199, 1));
    let problem = &answered.observed[1_100].problem;
    assert!(problem.starts_with("messages[1100].role is unset"), "{problem}");
    assert_eq!(served.get(&answered.observed[1_101].id).await.unwrap().content, "no te");
    let again = stream(&served, &wrong).await;
    assert_eq!((again.count(Duplicate), again.count(Invalid)), (1_199, 1));
}

#[tokio::test]
async fn turns_that_were_observed_without_ids_are_known_to_a_stream() {
    let served = Served::start().await;
    let history = history(2_300);
    for part in history[..2_200].chunks(1_000) {
        assert_eq!(observe(&served, part.to_vec()).await, i32::try_from(part.len()).unwrap());
    }
    let streamed = stream(&served, &history).await;
    assert_eq!((streamed.count(Duplicate), streamed.count(Stored)), (2_200, 100));
}

#[tokio::test]
async fn what_was_erased_does_not_come_back_with_a_stream() {
    let served = Served::start().await;
    let history = history(1_100);
    let first = stream(&served, &history).await;
    for gone in [0, 998, 1_050] {
        let ids = vec![first.observed[gone].id.clone()];
        let forget = v1::ForgetMemoriesRequest { user_id: USER.to_owned(), ids, ..Default::default() };
        served.memories().forget_memories(forget).await.unwrap();
    }
    let again = stream(&served, &history).await;
    assert_eq!((again.count(Duplicate), again.count(Past)), (1_097, 3));
}

#[tokio::test]
async fn a_stream_begins_with_its_start() {
    let served = Served::start().await;
    let order = (Code::InvalidArgument, "STREAM_ORDER".to_owned());
    assert_eq!(send(&served, vec![Part::Message(said("tea"))]).await.refusal(), order);
    assert_eq!(send(&served, Vec::new()).await.refusal(), order);
    let nowhere = Part::Start(v1::ObserveStart { user_id: USER.to_owned(), ..Default::default() });
    assert_eq!(send(&served, vec![nowhere]).await.refusal().1, "INVALID_FIELD");
    assert!(stream(&served, &[]).await.taken.is_empty(), "no message at all");
}

#[tokio::test]
async fn pieces_are_bounded_in_bytes_and_by_the_room_there_is() {
    let large = vec![said(&"x".repeat(1 << 20)); 5];
    let served = Served::start().await;
    assert_eq!(stream(&served, &large).await.taken, [3, 5], "4 MiB with all that is around the texts");
    let config =
        ApiConfig { max_request_bytes: Bytes(64 << 10), max_held_bytes: Bytes(384 << 10), ..ApiConfig::default() };
    let served = Served::with(ServerDefaults::default(), config).await;
    let messages = vec![said(&"x".repeat(10 << 10)); 20];
    let answered = stream(&served, &messages).await;
    assert_eq!(answered.count(Stored), 20);
    assert!(answered.taken.len() > 2, "at most half of the room is one caller's: {:?}", answered.taken);
    let refused = send(&served, told(&[messages[0].clone(), said(&"x".repeat(65 << 10))])).await;
    let ended = refused.end.as_ref().unwrap_err();
    assert_eq!((refused.refusal().1.as_str(), refused.observed.len()), ("REQUEST_TOO_LARGE", 0));
    assert!(ended.message().contains("messages[1]"), "{ended:?}");
}
