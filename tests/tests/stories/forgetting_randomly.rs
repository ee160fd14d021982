//! Random sequences of saying, sending again, importing, deleting, restoring and erasing, against a model that only knows
//! which statements live.

use std::collections::{BTreeMap, BTreeSet};

use kimberly_proto::v1 as pb;
use kimberly_tests::exports::now;
use kimberly_tests::{System, User};
use prost_types::Timestamp;

/// Statements and a word that only each of them has.
const STATEMENTS: [(&str, &str); 6] = [
    ("I live in Oslo.", "Oslo"),
    ("My boss is Maria Lund.", "Lund"),
    ("My cat is called Zelda.", "Zelda"),
    ("Ich arbeite bei Siemens in Graz.", "Siemens"),
    ("I am allergic to peanuts.", "peanuts"),
    ("The spare key is with Nadia.", "Nadia"),
];
const SEEDS: u64 = 6;
const STEPS: usize = 24;

/// A small generator, so that a failure is reproduced by its seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % n as u64).expect("small")
    }
}

/// A deletion that may be restored: the memory, and the statements that went.
type Deletion = (String, BTreeSet<&'static str>);

#[derive(Default)]
struct Model {
    live: BTreeMap<&'static str, bool>,
    deleted: Vec<Deletion>,
    /// What was said: session, message, and when.
    said: Vec<(String, pb::Message, Timestamp)>,
    exports: Vec<Vec<pb::MemoryRecord>>,
}

fn words_of(content: &str) -> BTreeSet<&'static str> {
    STATEMENTS.iter().map(|(_, word)| *word).filter(|word| content.contains(word)).collect()
}

async fn live(user: &mut User) -> Vec<pb::Memory> {
    user.list(pb::MemoryFilter { any_time: true, ..Default::default() }).await
}

async fn say(user: &mut User, session: &str, message: pb::Message) {
    let request = pb::ObserveRequest {
        user_id: user.id(),
        session_id: session.to_owned(),
        messages: vec![message],
        extraction: pb::ExtractionMode::Wait.into(),
        ..Default::default()
    };
    user.clients.conversations.observe(request).await.expect("a message is taken in");
}

async fn step(user: &mut User, model: &mut Model, dice: &mut Dice, n: usize) -> String {
    let all = live(user).await;
    match dice.below(13) {
        0..=3 => {
            let said: Vec<_> = (0..=dice.below(3)).map(|_| STATEMENTS[dice.below(6)]).collect();
            let content = said.iter().map(|(text, _)| *text).collect::<Vec<_>>().join(" ");
            let message = pb::Message { role: pb::Role::User.into(), content: content.clone(), ..Default::default() };
            let at = now();
            say(user, &format!("s{n}"), message.clone()).await;
            model.said.push((format!("s{n}"), message, at));
            model.live.extend(said.iter().map(|(_, word)| (*word, true)));
            format!("said {content}")
        }
        4 => {
            let (text, word) = STATEMENTS[dice.below(6)];
            user.remember(text).await;
            model.live.insert(word, true);
            format!("noted {text}")
        }
        5..=6 if !all.is_empty() => {
            let memory = &all[dice.below(all.len())];
            let words = words_of(&memory.content);
            user.forget(&memory.id).await;
            model.live.extend(words.iter().map(|word| (*word, false)));
            model.deleted.push((memory.id.clone(), words));
            format!("deleted {}", memory.content)
        }
        7..=8 if !model.deleted.is_empty() => {
            let (id, words) = model.deleted.swap_remove(dice.below(model.deleted.len()));
            let request = pb::RestoreMemoryRequest { user_id: user.id(), id, ..Default::default() };
            if user.clients.memories.restore_memory(request).await.is_ok() {
                model.live.extend(words.iter().map(|word| (*word, true)));
            }
            format!("restored {words:?}")
        }
        9 if !all.is_empty() => {
            let memory = &all[dice.below(all.len())];
            let words = words_of(&memory.content);
            user.forget_now(&[&memory.id]).await;
            for word in &words {
                model.live.insert(word, false);
                model.deleted.iter_mut().for_each(|(_, words)| _ = words.remove(word));
            }
            format!("erased {}", memory.content)
        }
        10 if !model.said.is_empty() => {
            let (session, message, at) = model.said[dice.below(model.said.len())].clone();
            let content = message.content.clone();
            match dice.below(2) {
                0 => say(user, &session, message).await,
                _ => say(user, &format!("again{n}"), pb::Message { time: Some(at), ..message }).await,
            }
            format!("sent again {content}")
        }
        11 => {
            model.exports.push(user.exported().await);
            "exported".to_owned()
        }
        12 if !model.exports.is_empty() => {
            let records = model.exports[dice.below(model.exports.len())].clone();
            user.imported(&format!("i{n}"), records).await;
            "imported".to_owned()
        }
        _ => "nothing".to_owned(),
    }
}

#[tokio::test]
async fn no_copy_answers_that_another_copy_lost() {
    let system = System::start().await;
    for seed in 0..SEEDS {
        let (mut user, mut model, mut dice) = (system.user(&format!("u{seed}")), Model::default(), Dice(seed));
        let mut done = Vec::new();
        for n in 0..STEPS {
            done.push(step(&mut user, &mut model, &mut dice, n).await);
            let all = live(&mut user).await;
            for (_, word) in STATEMENTS {
                let has = all.iter().any(|memory| memory.content.contains(word));
                let expected = model.live.get(word).copied().unwrap_or_default();
                let texts: Vec<_> = all.iter().map(|memory| &memory.content).collect();
                assert_eq!(has, expected, "seed {seed}, {word}: {done:#?} {texts:#?}");
            }
        }
    }
}
