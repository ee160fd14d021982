//! Sessions and short-term memories.

use kimberly_proto::v1::{self as pb, MeditationStatus, MeditationTrigger, MemoryState, Tier};
use kimberly_tests::drafts::{draft, in_tier};
use kimberly_tests::{System, User};

fn said_in(session: &str, content: &str) -> pb::MemoryDraft {
    pb::MemoryDraft { session_id: session.to_owned(), ..in_tier(Tier::ShortTerm, content) }
}

async fn end(user: &mut User, session: &str) -> pb::EndSessionResponse {
    let request =
        pb::EndSessionRequest { user_id: user.id(), session_id: session.to_owned(), request_id: String::new() };
    user.clients.memories.end_session(request).await.expect("a session ends").into_inner()
}

#[tokio::test]
async fn the_end_of_a_session_archives_its_short_term_memories() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let first = ana.remember_draft(said_in("s1", "The parking spot today is on level four.")).await;
    let protected = pb::MemoryDraft { protected: true, ..said_in("s1", "Keep this one.") };
    let kept = ana.remember_draft(protected).await;
    let other = ana.remember_draft(said_in("s2", "Another session goes on.")).await;
    let long = ana
        .remember_draft(pb::MemoryDraft { session_id: "s1".to_owned(), ..draft("Long-term of the same session.") })
        .await;

    let ended = end(&mut ana, "s1").await;
    assert_eq!((ended.archived, ended.archived_bytes), (1, first.size_bytes));
    assert_eq!(ana.memory(&first.id).await.state(), MemoryState::Archived);
    for id in [&kept.id, &other.id, &long.id] {
        assert_eq!(ana.memory(id).await.state(), MemoryState::Active);
    }
    assert!(ana.recalled("parking spot level four").await.is_empty());
    assert_eq!(end(&mut ana, "s1").await.archived, 0, "a session ends once");
    assert_eq!(end(&mut ana, "never").await.archived, 0, "a session that holds nothing is fine");
    let runs = ana.runs().await;
    assert!(runs.iter().any(|run| run.trigger() == MeditationTrigger::SessionEnd && run.archived == 1), "{runs:?}");
    assert_eq!(ana.restore(&first.id).await.state(), MemoryState::Active);
}

#[tokio::test]
async fn the_active_session_comes_first() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    for n in 0..20 {
        ana.remember(&format!("The parking garage charges {n} euros; parking, parking, garage.")).await;
    }
    ana.remember_draft(said_in("now", "We are parking on level four.")).await;
    let request = pb::QueryMemoriesRequest {
        user_id: ana.id(),
        query: "parking".to_owned(),
        active_session_id: "now".to_owned(),
        ..Default::default()
    };
    let answer = ana.clients.memories.query_memories(request).await.expect("an answer").into_inner();
    let first = answer.results[0].memory.clone().expect("a memory");
    assert_eq!(first.content, "We are parking on level four.");
}

#[tokio::test]
async fn fresh_short_term_memories_are_left_alone() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let stored = ana.remember_draft(said_in("s", "Only for today.")).await;
    let run = ana.meditate().await;
    assert_eq!((run.status(), run.archived), (MeditationStatus::Complete, 0));
    assert_eq!(ana.memory(&stored.id).await.state(), MemoryState::Active);
}
