//! A night finds what contradicts each other: a person decides, or the one that is believed less by far ends until it is brought back.

use kimberly_proto::v1::{self as pb, DecisionAction, DecisionReason, Resolution, SourceType};
use kimberly_tests::drafts::draft;
use kimberly_tests::{System, User};

fn believe(ana: &User, dry_run: bool) -> pb::MeditateRequest {
    pb::MeditateRequest { user_id: ana.id(), steps: vec!["believe".to_owned()], dry_run, ..Default::default() }
}

async fn plan(ana: &mut User) -> Vec<pb::Decision> {
    let request = believe(ana, true);
    ana.clients.meditations.meditate(request).await.expect("a plan").into_inner().decisions
}

async fn night(ana: &mut User) {
    let request = believe(ana, false);
    let run = ana.clients.meditations.meditate(request).await.expect("a run").into_inner().meditation.expect("a run");
    ana.meditation_ended(&run.id).await;
}

async fn open(ana: &mut User) -> Vec<(String, String)> {
    let request = pb::ListContradictionsRequest { user_id: ana.id(), ..Default::default() };
    let answer = ana.clients.links.list_contradictions(request).await.expect("a list").into_inner();
    let id = |memory: Option<pb::Memory>| memory.expect("a memory").id;
    answer.contradictions.into_iter().map(|one| (id(one.from_memory), id(one.to_memory))).collect()
}

fn about(subject: &str, content: &str) -> pb::MemoryDraft {
    pb::MemoryDraft { subject: subject.to_owned(), ..draft(content) }
}

#[tokio::test]
async fn a_night_finds_contradictions_and_ends_only_what_is_believed_less_by_far() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let porto = ana.remember_draft(about("Chen", "Chen lives in Porto")).await.id;
    let lisbon = ana.remember_draft(about("Chen", "Chen lives in Lisbon")).await.id;
    let mut guess = about("Dora", "Dora works at Acme");
    guess.set_source_type(SourceType::Inference);
    let guess = ana.remember_draft(guess).await.id;
    let told = ana.remember_draft(about("Dora", "Dora works at Beta Labs")).await.id;

    let planned = plan(&mut ana).await;
    let of = |action: DecisionAction| planned.iter().find(|one| one.action() == action).expect("a decision");
    let (asked, decided) = (of(DecisionAction::Contradict), of(DecisionAction::Resolve));
    assert_eq!((&asked.memory_id, asked.reason()), (&lisbon, DecisionReason::Contradicts), "{asked:?}");
    assert_eq!((&decided.memory_id, &decided.further_ids[..]), (&told, &[guess.clone()][..]), "{decided:?}");
    assert_eq!(decided.reason(), DecisionReason::LessBelieved);
    assert!(decided.explanation.contains("0.95 and that of the other 0.60"), "{}", decided.explanation);
    assert!(open(&mut ana).await.is_empty(), "a plan changes nothing");

    night(&mut ana).await;
    assert_eq!(open(&mut ana).await, [(lisbon.clone(), porto.clone())]);
    assert!(ana.memory(&guess).await.valid_to.is_some() && ana.memory(&told).await.valid_to.is_none());
    assert!(plan(&mut ana).await.is_empty(), "a second night finds nothing");

    let request = pb::ResolveContradictionRequest {
        user_id: ana.id(),
        from_id: lisbon,
        to_id: porto,
        resolution: Resolution::KeepBoth.into(),
        ..Default::default()
    };
    ana.clients.links.resolve_contradiction(request).await.expect("both hold");
    let update_mask = Some(prost_types::FieldMask { paths: vec!["valid_to".to_owned()] });
    let memory = Some(pb::MemoryDraft::default());
    let request =
        pb::UpdateMemoryRequest { user_id: ana.id(), id: guess.clone(), memory, update_mask, ..Default::default() };
    ana.clients.memories.update_memory(request).await.expect("it is brought back");
    night(&mut ana).await;
    assert!(open(&mut ana).await.is_empty(), "what a person decided is not asked again");
    assert!(ana.memory(&guess).await.valid_to.is_none(), "what was brought back stays");
}
