//! Bounds of messages and of contexts.

use kimberly_proto::v1 as pb;

use super::{Judge, long, user};

fn said(content: &str) -> pb::Message {
    pb::Message { role: pb::Role::User.into(), content: content.to_owned(), ..pb::Message::default() }
}

fn observe(message: pb::Message) -> pb::ObserveRequest {
    let session_id = "s".to_owned();
    pb::ObserveRequest { user_id: user(), session_id, messages: vec![message], ..pb::ObserveRequest::default() }
}

#[tokio::test]
async fn messages() {
    let judge = Judge::new().await;
    let id = |bytes| observe(pb::Message { id: long(bytes), ..said("tea") });
    judge.holds("length of an id", "messages[0].id", id(128), id(129)).await;
    let name = |bytes| observe(pb::Message { name: long(bytes), ..said("tea") });
    judge.holds("length of a name", "messages[0].name", name(128), name(129)).await;
    let tool = |bytes| observe(pb::Message { tool: long(bytes), ..said("tea") });
    judge.holds("length of a tool", "messages[0].tool", tool(128), tool(129)).await;
    let call = |bytes| observe(pb::Message { tool_call_id: long(bytes), ..said("tea") });
    judge.holds("length of an id of a call", "messages[0].tool_call_id", call(128), call(129)).await;
    judge.refuses("no role", "messages[0].role", observe(pb::Message { role: 0, ..said("tea") })).await;
    judge.takes("NUL, which becomes a space", observe(said("a\0b"))).await;
    judge.takes("a content above the bound of contents", observe(said(&long(100_000)))).await;
    let session = |bytes| pb::ObserveRequest { session_id: long(bytes), ..observe(said("tea")) };
    judge.holds("length of a session id", "session_id", session(128), session(129)).await;
    judge.refuses("no session", "session_id", session(0)).await;
    let namespace = |bytes| pb::ObserveRequest { namespace: long(bytes), ..observe(said("tea")) };
    judge.holds("length of a namespace", "namespace", namespace(64), namespace(65)).await;
    let many = |count| pb::ObserveRequest { messages: vec![said("tea"); count], ..observe(said("tea")) };
    judge.holds("number of messages", "messages", many(1_000), many(1_001)).await;
    judge.refuses("no message", "messages", many(0)).await;
}

#[tokio::test]
async fn contexts() {
    let judge = Judge::new().await;
    let of = || pb::GetContextRequest { user_id: user(), ..pb::GetContextRequest::default() };
    let query = |bytes| pb::GetContextRequest { query: long(bytes), ..of() };
    judge.holds("length of a query", "query", query(8 * 1024), query(8 * 1024 + 1)).await;
    let session = |bytes| pb::GetContextRequest { session_id: long(bytes), ..of() };
    judge.holds("length of a session id", "session_id", session(128), session(129)).await;
    let budget = |budget_tokens| pb::GetContextRequest { budget_tokens, ..of() };
    judge.holds("largest budget", "budget_tokens", budget(10_000_000), budget(10_000_001)).await;
    judge.holds("smallest budget", "budget_tokens", budget(0), budget(-1)).await;
    let window = |context_window_tokens| pb::GetContextRequest { context_window_tokens, ..of() };
    judge.holds("largest window", "context_window_tokens", window(10_000_000), window(10_000_001)).await;
    let factor = |factor| pb::GetContextRequest { tokens_per_byte: Some(factor), ..of() };
    judge.holds("largest factor", "tokens_per_byte", factor(4.0), factor(4.01)).await;
    judge.holds("smallest factor", "tokens_per_byte", factor(0.01), factor(0.009)).await;
    judge.refuses("no number", "tokens_per_byte", factor(f64::NAN)).await;
    let least = |least| pb::GetContextRequest { min_relevance: Some(least), ..of() };
    judge.holds("largest least relevance", "min_relevance", least(1.0), least(1.01)).await;
    let parts = |part: i32| pb::GetContextRequest { parts: vec![part], ..of() };
    judge.holds("parts", "parts[0]", parts(6), parts(7)).await;
    let filter = pb::MemoryFilter { kinds: vec![pb::Kind::Fact.into()], ..pb::MemoryFilter::default() };
    judge.refuses("kinds", "filter", pb::GetContextRequest { filter: Some(filter), ..of() }).await;
}

#[tokio::test]
async fn compacting() {
    let judge = Judge::new().await;
    let of = || pb::CompactSessionRequest { user_id: user(), session_id: "s".to_owned(), ..Default::default() };
    let session = |bytes| pb::CompactSessionRequest { session_id: long(bytes), ..of() };
    judge.holds("length of a session id", "session_id", session(128), session(129)).await;
    judge.refuses("no session", "session_id", session(0)).await;
    let namespace = |bytes| pb::CompactSessionRequest { namespace: long(bytes), ..of() };
    judge.holds("length of a namespace", "namespace", namespace(64), namespace(65)).await;
    let keep = |keep| pb::CompactSessionRequest { keep: Some(keep), ..of() };
    judge.holds("most turns that stay", "keep", keep(1_000), keep(1_001)).await;
    judge.holds("fewest turns that stay", "keep", keep(0), keep(-1)).await;
}

/// The result of a stream of `count` messages.
async fn streamed(
    judge: &Judge,
    start: pb::ObserveStart,
    message: pb::Message,
    count: usize,
) -> Result<(), tonic::Status> {
    use pb::observe_stream_request::Part;
    let messages = std::iter::repeat_n(Part::Message(message), count);
    let requests = std::iter::once(Part::Start(start)).chain(messages);
    let requests: Vec<_> = requests.map(|part| pb::ObserveStreamRequest { part: Some(part) }).collect();
    let mut conversations = judge.system.clients().conversations;
    let mut answers = conversations.observe_stream(tokio_stream::iter(requests)).await?.into_inner();
    while answers.message().await?.is_some() {}
    Ok(())
}

#[tokio::test]
async fn streams_of_messages() {
    let judge = Judge::new().await;
    let start = |session, namespace| pb::ObserveStart {
        user_id: user(),
        session_id: long(session),
        namespace: long(namespace),
        ..pb::ObserveStart::default()
    };
    let named = |bytes| pb::Message { id: long(bytes), ..said("tea") };
    for (session, namespace, id) in [(128, 64, 128), (1, 0, 0)] {
        streamed(&judge, start(session, namespace), named(id), 1).await.expect("within the bounds");
    }
    for (session, namespace, id) in [(129, 0, 0), (0, 0, 0), (1, 65, 0)] {
        let refused = streamed(&judge, start(session, namespace), named(id), 1).await.expect_err("out of bounds");
        assert_eq!(kimberly_tests::reason(&refused), "INVALID_FIELD", "{session} {namespace} {id}");
    }
    streamed(&judge, start(1, 0), named(129), 1).await.expect("only this message is left out");
    // Empty messages count but are not stored.
    streamed(&judge, start(1, 0), said(""), 100_000).await.expect("as many as are allowed");
    let refused = streamed(&judge, start(1, 0), said(""), 100_001).await.expect_err("one more");
    assert!(refused.message().contains("messages[100000]"), "{refused:?}");
}
