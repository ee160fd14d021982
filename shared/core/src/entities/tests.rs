//! Tests of names and entities.

use uuid::Uuid;

use super::*;
use crate::ids::{MemoryId, Seq};
use crate::memory::{Memory, MemoryDraft};
use crate::recall::stages::entities;
use crate::time::{Span, Timestamp};

const NOW: Timestamp = Timestamp(1_763_640_000_000_000);

/// A numbered record from `days` days ago.
fn record(n: u128, speaker: Option<&str>, content: &str, days: i64) -> Memory {
    let draft =
        MemoryDraft { content: content.to_owned(), speaker: speaker.map(str::to_owned), ..MemoryDraft::default() };
    let id = MemoryId(Uuid::from_u128(n));
    Memory::new(id, Seq(i64::try_from(n).unwrap()), draft, NOW.minus(Span::days(days)))
}

fn told(texts: &[&str]) -> Vec<Memory> {
    (1..).zip(texts).map(|(n, text)| record(n, None, text, 1)).collect()
}

fn graph(records: &[Memory], rulings: &[Ruling]) -> Graph {
    let (mentions, ties): (Vec<_>, Vec<_>) = records.iter().map(|one| (mentions_of(one), Tie::all_of(one))).unzip();
    Graph::of(mentions.concat(), ties.concat(), rulings, NOW)
}

/// Names with their types, as found in one text.
fn found(text: &str) -> Vec<(&str, EntityType)> {
    find(text).into_iter().filter(|one| one.confidence >= 0.5).map(|one| (&text[one.span], one.kind)).collect()
}

fn names(graph: &Graph) -> Vec<(&str, EntityType)> {
    let mut all: Vec<_> = graph.entities.iter().map(|entity| (entity.name.as_str(), entity.kind)).collect();
    all.sort_unstable();
    all
}

#[test]
fn names_are_found_with_what_they_are() {
    use EntityType::{Code, Email, Event, File, Handle, Organization, Person, Place, Product, Project, Url};
    for (text, expected) in [
        ("Yesterday I met Dr. Ana Silva in Porto.", vec![("Ana Silva", Person), ("Porto", Place)]),
        ("I walked with Rex, my dog.", vec![("Rex", Person)]),
        ("She works at Acme Corp. as a nurse.", vec![("Acme Corp", Organization)]),
        ("He started a company called Zyntra.", vec![("Zyntra", Organization)]),
        ("We use Flask and SQLite for it.", vec![("Flask", Product), ("SQLite", Product)]),
        ("They went to the Boston Marathon.", vec![("Boston Marathon", Event)]),
        ("I lead Project Apollo now.", vec![("Project Apollo", Project)]),
        ("Write to ana@example.com or @ana_s.", vec![("ana@example.com", Email), ("@ana_s", Handle)]),
        ("See https://example.org/a?b=1, please.", vec![("https://example.org/a?b=1", Url)]),
        ("Open `src/main.rs` and call load_all().", vec![("src/main.rs", File), ("load_all()", Code)]),
    ] {
        assert_eq!(found(text), expected, "{text}");
    }
}

#[test]
fn capitals_without_a_name_are_no_entities() {
    for text in [
        "Wow, thanks! That sounds great.",
        "On Monday I'll go. Definitely.",
        "I am OK. The API is slow.",
        "PLEASE DO NOT SHOUT AT ME",
        "1. Keep going\n2. Take breaks",
        "",
    ] {
        assert!(found(text).is_empty(), "{text}: {:?}", found(text));
    }
    assert!(mentions_of(&record(1, Some("user"), "hello", 1)).is_empty(), "a label is no name");
    let mut secret = record(1, None, "I met Ana in Porto.", 1);
    secret.draft.metadata.sensitive = true;
    assert!(
        mentions_of(&secret).is_empty() && Tie::all_of(&secret).is_empty(),
        "nothing is taken from what is sensitive"
    );
}

#[test]
fn a_first_word_is_a_name_where_another_text_is_surer() {
    let one = told(&["Zora came late."]);
    let alone = told(&["Pottery is fun."]);
    let both = told(&["Pottery is fun.", "I love pottery.", "Zora is here.", "I met Zora there."]);
    assert_eq!(names(&graph(&one, &[])), [("Zora", EntityType::Person)], "it acts as a person does");
    assert!(graph(&alone, &[]).entities.is_empty());
    assert_eq!(names(&graph(&both, &[])), [("Zora", EntityType::Person)]);
    assert_eq!(graph(&both, &[]).entities[0].mentions, 2);
}

#[test]
fn short_and_whole_names_are_one_unless_they_could_be_two() {
    let one = graph(&told(&["I met Melanie Costa.", "Then I called Mel.", "It was for Melanie."]), &[]);
    assert_eq!(one.entities.len(), 1, "{:?}", names(&one));
    assert_eq!(one.entities[0].aliases.len(), 2);
    let two = graph(&told(&["I met John Smith.", "I met John Miller.", "Then I called John."]), &[]);
    assert_eq!(two.entities.len(), 3, "{:?}", names(&two));
    let written = graph(&told(&["We use Node.js here.", "We use NodeJS here."]), &[]);
    assert_eq!(written.entities.len(), 1, "{:?}", names(&written));
}

#[test]
fn entities_are_the_same_whatever_the_order_of_reading() {
    let texts = ["I met Ana Silva.", "Ana lives in Porto.", "Bob works with Ana at Acme Corp.", "Bob Stone is here."];
    let mut records = told(&texts);
    let first = graph(&records, &[]);
    records.reverse();
    let again = graph(&records, &[]);
    assert_eq!(first.entities, again.entities);
    assert_eq!(first.edges, again.edges);
}

#[test]
fn namespaces_stay_apart() {
    let mut records = told(&["I met Ana Silva.", "I met Ana Silva."]);
    records[1].draft.namespace = "work".to_owned();
    assert_eq!(graph(&records, &[]).entities.len(), 2);
}

#[test]
fn what_a_person_decided_holds() {
    let records = told(&["I met Ana Silva and Bob Stone.", "Robertson is a friend of Bob Stone."]);
    let before = graph(&records, &[]);
    let id = |name: &str| NameId::of("", name);
    let rule = |ruled, name, other, called: Option<&str>| {
        let (memory, at, called) = (records[0].id, NOW, called.map(str::to_owned));
        Ruling { ruled, name, other, memory, at, called }
    };
    let same = rule(Ruled::Same, id("ana silva"), id("bob stone"), None);
    assert_eq!(graph(&records, std::slice::from_ref(&same)).entities.len(), before.entities.len() - 1);
    let called = graph(&records, &[same, rule(Ruled::Called, id("ana silva"), id("ana silva"), Some("A."))]);
    assert!(called.entities.iter().any(|entity| entity.name == "A." && entity.aliases.len() == 2));
    let gone = graph(&records, &[rule(Ruled::Dismissed, id("ana silva"), id("ana silva"), None)]);
    assert!(gone.entities.iter().all(|entity| entity.name != "Ana Silva"));
    let parted = told(&["I met Melanie Costa.", "I called Melanie."]);
    let apart = Ruling { memory: parted[0].id, ..rule(Ruled::Apart, id("melanie"), id("melanie costa"), None) };
    assert_eq!(graph(&parted, &[apart]).entities.len(), 2);
}

/// The pairs of entities with a relation, by name.
fn edge(graph: &Graph, relation: EntityRelation) -> Vec<(String, String)> {
    let name = |id| graph.entity(id).unwrap().name.clone();
    graph.edges.iter().filter(|edge| edge.relation == relation).map(|edge| (name(edge.from), name(edge.to))).collect()
}

#[test]
fn sentences_say_what_entities_are_to_each_other() {
    use EntityRelation::{Family, LivesIn, LocatedIn, Owns, WorksAt, WorksWith};
    for (text, relation, from, to) in [
        ("Ana works at Acme Corp.", WorksAt, "Ana", "Acme Corp"),
        ("Ana has been working for Google.", WorksAt, "Ana", "Google"),
        ("Ana lives in Porto.", LivesIn, "Ana", "Porto"),
        ("Ana just moved to Berlin.", LivesIn, "Ana", "Berlin"),
        ("Ana went to Acme University in Boston.", LocatedIn, "Acme University", "Boston"),
    ] {
        assert_eq!(edge(&graph(&told(&[text]), &[]), relation), [(from.to_owned(), to.to_owned())], "{text}");
    }
    for (text, relation) in [
        ("Ana works with Bob.", WorksWith),
        ("Ana's sister Bob is here.", Family),
        ("Bob is Ana's brother.", Family),
        ("Ana married Bob.", Family),
    ] {
        assert_eq!(edge(&graph(&told(&[text]), &[]), relation).len(), 1, "{text}");
    }
    let said = [record(1, Some("Ana"), "I work at Acme Corp. My dog Rex is old.", 1)];
    let graph = graph(&said, &[]);
    assert_eq!(edge(&graph, WorksAt), [("Ana".to_owned(), "Acme Corp".to_owned())]);
    assert_eq!(edge(&graph, Owns), [("Ana".to_owned(), "Rex".to_owned())]);
}

#[test]
fn questions_conditions_and_denials_say_nothing() {
    for text in ["Does Ana work at Acme Corp.?", "If Ana works at Acme Corp., call.", "Ana does not work at Acme Corp."]
    {
        let graph = graph(&told(&[text]), &[]);
        assert!(edge(&graph, EntityRelation::WorksAt).is_empty(), "{text}");
    }
}

#[test]
fn names_that_only_stand_together_once_are_joined_for_a_week() {
    let told = |days| graph(&[record(1, None, "I saw Ana and then Bob.", days)], &[]).edges.len();
    assert_eq!((told(1), told(9)), (1, 0));
    let twice = [record(1, None, "I saw Ana and then Bob.", 20), record(2, None, "I saw Ana and then Bob.", 30)];
    assert_eq!(graph(&twice, &[]).edges.len(), 1, "seen again it stays");
}

#[test]
fn records_are_found_by_whom_the_query_names_and_who_is_near() {
    let texts = [
        "Ana works at Acme Corp.",
        "Acme Corp moved to the harbour.",
        "Ben Costa went home.",
        "Ana is glad, says Ben Costa.",
    ];
    let records = told(&texts);
    let graph = graph(&records, &[]);
    let strengths = |query: &str| entities::named(&graph, query, 10.0);
    let found = strengths("where does ana work?");
    let of = |at: usize| found.iter().find(|(id, _)| *id == records[at].id).map(|(_, strength)| *strength);
    let most = found.iter().map(|(_, strength)| *strength).fold(0.0, f64::max);
    assert!((most - 3.0).abs() < 1e-9, "the strongest is three tenths of the best hit: {found:?}");
    assert!(of(0) > of(1) && of(1) > Some(0.0), "what is near counts less than what is named: {found:?}");
    assert_eq!(strengths("nobody at all"), []);
}

#[test]
fn the_same_graph_is_made_to_the_bit_whatever_the_order_of_reading() {
    let mut records = told(&[
        "Ana Silva works at Acme Corp with Bob.",
        "Ana lives in Porto, and Ana Silva met Bob at Acme.",
        "Dr. Silva works at Acme Corp. Bob lives in Porto, Portugal.",
        "I met Ana at the Boston Marathon in Porto.",
    ]);
    let first = graph(&records, &[]);
    assert!(first.entities.len() > 3 && !first.edges.is_empty(), "{:?}", first.entities);
    records.reverse();
    assert_eq!(graph(&records, &[]), first);
    records.rotate_left(1);
    assert_eq!(graph(&records, &[]), first);
}

#[test]
fn what_only_looks_like_a_relation_is_none() {
    use EntityRelation::{Family, LivesIn, LocatedIn, Owns, WorksAt, WorksWith};
    for (relation, none, one) in [
        (Family, "My friend's wife Tina called.", "My wife Tina called."),
        (Family, "My wife's friend Tina called.", "My wife's name is Tina."),
        (Family, "Tina, my brother is late.", "I called Tom, my brother."),
        (Family, "Thanks for asking about my mom, Bob!", "My mom, Tina, asked about it."),
        (WorksAt, "I have a friend working at Acme Corp.", "I am working at Acme Corp."),
        (WorksAt, "I hope Bob works at Acme Corp.", "I heard Bob works at Acme Corp."),
        (LivesIn, "I'd love to live in Porto.", "I happily live in Porto."),
        (LivesIn, "I like the live music in Porto.", "I live alone in Porto."),
        (LivesIn, "I moved the meeting to Berlin.", "I moved back to Berlin."),
        (LocatedIn, "We saw Berlin, Paris and London.", "We saw Porto, Portugal."),
        (LocatedIn, "We saw Berlin, Paris and the Netherlands.", "We saw Acme University in Porto."),
        (LocatedIn, "I read the report of the Acme Committee on Health.", "I saw Acme University in Porto."),
        (Owns, "I love my new Zyntro jacket.", "I love my new Zyntro."),
        (WorksWith, "I worked out with Bob.", "I worked with Bob."),
    ] {
        let found = |text| edge(&graph(&[record(1, Some("Ana"), text, 1)], &[]), relation).len();
        assert_eq!((found(none), found(one)), (0, 1), "{none} {one}");
    }
}

#[test]
fn roles_and_trades_say_where_someone_works() {
    use EntityRelation::{PartOf, WorksAt};
    for text in [
        "I work as a nurse at Acme Corp.",
        "I'm an Acme Corp engineer.",
        "I am the founder of Acme Corp.",
        "I'm employed by Acme Corp.",
        "My employer is Acme Corp.",
        "I joined Acme Corp as a cook.",
    ] {
        let graph = graph(&[record(1, Some("Ana"), text, 1)], &[]);
        assert_eq!(edge(&graph, WorksAt), [("Ana".to_owned(), "Acme Corp".to_owned())], "{text}");
    }
    let found = |text| edge(&graph(&[record(1, Some("Ana"), text, 1)], &[]), WorksAt).len();
    assert_eq!((found("I am an Acme Corp fan."), found("I am a friend of Acme Corp.")), (0, 0));
    let joined = graph(&[record(1, Some("Ana"), "I recently joined the Acme Society.", 1)], &[]);
    assert_eq!(edge(&joined, PartOf).len(), 1);
}

#[test]
fn a_verb_at_the_beginning_is_the_speakers_and_no_name() {
    use EntityRelation::WorksWith;
    for text in ["Touring with Tom Smith was wild.", "Started jamming with Tom Smith."] {
        let graph = graph(&[record(1, Some("Ana"), text, 1)], &[]);
        assert!(edge(&graph, WorksWith).iter().any(|(one, two)| one == "Ana" || two == "Ana"), "{text}");
    }
}
