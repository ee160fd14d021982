//! Meditation finds contradictions: a person decides, or the much less believed memory ends until it is restored.

use kimberly_proto::v1::{self as pb, DecisionAction, DecisionReason, Resolution, Role, SourceType};
use kimberly_tests::drafts::draft;
use kimberly_tests::{System, User};

const BELIEVE: &[&str] = &["believe"];

async fn plan_among(ana: &mut User, ids: &[&str]) -> Vec<pb::Decision> {
    let (steps, ids) = (vec!["believe".to_owned()], ids.iter().map(|id| (*id).to_owned()).collect());
    let request = pb::MeditateRequest { user_id: ana.id(), steps, dry_run: true, ids, ..Default::default() };
    ana.clients.meditations.meditate(request).await.expect("a plan").into_inner().decisions
}

async fn open(ana: &mut User) -> Vec<(String, String)> {
    let request = pb::ListContradictionsRequest { user_id: ana.id(), ..Default::default() };
    let answer = ana.clients.links.list_contradictions(request).await.expect("a list").into_inner();
    let id = |memory: Option<pb::Memory>| memory.expect("a memory").id;
    answer.contradictions.into_iter().map(|one| (id(one.from_memory), id(one.to_memory))).collect()
}

async fn holds(ana: &mut User, id: &str) -> bool {
    ana.memory(id).await.valid_to.is_none()
}

fn about(subject: &str, content: &str) -> pb::MemoryDraft {
    pb::MemoryDraft { subject: subject.to_owned(), ..draft(content) }
}

fn guess(subject: &str, content: &str) -> pb::MemoryDraft {
    let mut guess = about(subject, content);
    guess.set_source_type(SourceType::Inference);
    guess
}

#[tokio::test]
async fn a_night_finds_contradictions_and_ends_only_what_is_believed_less_by_far() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let porto = ana.remember_draft(about("Chen", "Chen lives in Porto")).await.id;
    let lisbon = ana.remember_draft(guess("Chen", "Chen lives in Lisbon")).await.id;
    let acme = ana.remember_draft(guess("Dora", "Dora works at Acme")).await.id;
    let beta = ana.remember_draft(about("Dora", "Dora works at Beta Labs")).await.id;

    let planned = ana.plan_of(BELIEVE).await;
    let of = |action: DecisionAction| planned.iter().find(|one| one.action() == action).expect("a decision");
    let (asked, decided) = (of(DecisionAction::Contradict), of(DecisionAction::Resolve));
    assert_eq!((&asked.memory_id, asked.reason()), (&lisbon, DecisionReason::Contradicts), "{asked:?}");
    assert_eq!((&decided.memory_id, &decided.further_ids[..]), (&beta, &[acme.clone()][..]), "{decided:?}");
    assert_eq!(decided.reason(), DecisionReason::LessBelieved);
    assert!(decided.explanation.contains("0.95, that of the other 0.60"), "{}", decided.explanation);
    assert_eq!(plan_among(&mut ana, &[&beta]).await, [], "nothing to compare it with");
    let kept_to = plan_among(&mut ana, &[&beta, &acme]).await;
    assert_eq!(kept_to.iter().map(pb::Decision::action).collect::<Vec<_>>(), [DecisionAction::Resolve]);
    assert!(open(&mut ana).await.is_empty(), "a plan changes nothing");

    ana.night_of(BELIEVE).await;
    assert_eq!(open(&mut ana).await, [(lisbon.clone(), porto.clone())], "a person decides about places");
    assert!(!holds(&mut ana, &acme).await && holds(&mut ana, &beta).await);
    assert_eq!(ana.plan_of(BELIEVE).await, [], "a second night finds nothing");

    let resolution = Resolution::KeepBoth.into();
    let (user_id, from_id, to_id) = (ana.id(), lisbon, porto);
    let request = pb::ResolveContradictionRequest { user_id, from_id, to_id, resolution, ..Default::default() };
    ana.clients.links.resolve_contradiction(request).await.expect("both hold");
    let [kept, lost] = [&beta, &acme].map(|id| id.trim_start_matches("mem_").to_owned());
    let request = pb::UndoReviewRequest { user_id: ana.id(), id: format!("contradiction_{kept}_{lost}") };
    assert!(ana.clients.reviews.undo_review(request).await.expect("it is undone").into_inner().changed);
    let waits = [(beta.clone(), acme.clone())];
    assert!(holds(&mut ana, &acme).await);
    assert_eq!(open(&mut ana).await, waits, "it waits for a person now");

    let memory = Some(about("Dora", "Dora works at Acme."));
    let update_mask = Some(prost_types::FieldMask { paths: vec!["content".to_owned()] });
    let (user_id, id) = (ana.id(), acme.clone());
    let request = pb::UpdateMemoryRequest { user_id, id, memory, update_mask, ..Default::default() };
    ana.clients.memories.update_memory(request).await.expect("it is read again");
    ana.night_of(BELIEVE).await;
    assert!(holds(&mut ana, &acme).await, "what was brought back stays");
    assert_eq!(open(&mut ana).await, waits);
}

#[tokio::test]
async fn statements_of_a_conversation_that_contradict_each_other_wait_for_a_person() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let mut learned = Vec::new();
    for content in ["I love cilantro.", "I hate cilantro."] {
        let message = pb::Message { role: Role::User.into(), content: content.to_owned(), ..Default::default() };
        learned.extend(ana.heard(message).await.made_ids);
    }
    let [love, hate] = &learned[..] else { panic!("{learned:?}") };
    ana.night_of(BELIEVE).await;
    assert_eq!(open(&mut ana).await, [(hate.clone(), love.clone())]);
    assert!(holds(&mut ana, love).await && holds(&mut ana, hate).await);
}

#[tokio::test]
async fn a_night_finds_twenty_and_the_next_one_the_rest() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let pair = |number: u32| {
        let name = format!("Friend{number}");
        ["green", "blue"].map(|color| about(&name, &format!("{name}'s favorite color is {color}.")))
    };
    ana.remember_all((1..=22).flat_map(pair).collect()).await;
    for found in [20, 2, 0] {
        let planned = ana.plan_of(BELIEVE).await;
        let asked = planned.iter().filter(|one| one.action() == DecisionAction::Contradict).count();
        assert_eq!(asked, found, "{planned:?}");
        ana.night_of(BELIEVE).await;
    }
    assert_eq!(open(&mut ana).await.len(), 22);
    assert_eq!(ana.plan_of(BELIEVE).await, []);
}
