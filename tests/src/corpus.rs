//! Texts as a talkative user and their agent might store, generated from a seed: people, topics, moods, from a few
//! words to some paragraphs.

use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{Rng as _, SeedableRng as _};

const PEOPLE: &[&str] =
    &["Ana", "Bela", "Chen", "Dilan", "Esra", "Femi", "Goran", "Hana", "Ines", "Jorge", "Kofi", "Lena"];

/// Topics and the words that belong to them; the first word is the topic's tag.
const TOPICS: &[&[&str]] = &[
    &[
        "cooking",
        "lentil soup",
        "a sourdough starter",
        "the new oven",
        "grilled peppers",
        "a tasting menu",
        "saffron rice",
    ],
    &[
        "running",
        "the half marathon",
        "a sore knee",
        "interval training",
        "the river loop",
        "new shoes",
        "a morning run",
    ],
    &[
        "work",
        "the quarterly report",
        "the release",
        "a code review",
        "the migration",
        "a long meeting",
        "the hiring plan",
    ],
    &[
        "travel",
        "the night train",
        "a cabin in the hills",
        "the visa",
        "the ferry to Naxos",
        "window seats",
        "the old town",
    ],
    &["family", "the birthday party", "a school play", "grandmother's garden", "the piano lesson", "a new puppy"],
    &[
        "music",
        "the cello suite",
        "choir practice",
        "a vinyl record",
        "the festival",
        "a string quartet",
        "the old radio",
    ],
    &["health", "the dentist", "a blood test", "better sleep", "physiotherapy", "less coffee", "the allergy season"],
    &[
        "home",
        "the leaking tap",
        "a new bookshelf",
        "the balcony plants",
        "the heating bill",
        "a coat of paint",
        "the move",
    ],
    &["learning", "Portuguese verbs", "a statistics course", "watercolours", "the chess club", "a thesis chapter"],
    &[
        "money",
        "the tax return",
        "a savings plan",
        "the rent",
        "an old invoice",
        "the pension letter",
        "a second-hand bike",
    ],
];

const MOODS: &[&str] = &[
    "It was wonderful, better than hoped.",
    "That was awful and I never want it again!",
    "Nothing special, just so that I know.",
    "I love how this turned out.",
    "I am worried about it.",
    "Please keep that in mind.",
    "It went fine.",
    "I was really angry about that.",
];

const FRAMES: &[&str] = &[
    "{p} told me about {t} today.",
    "I talked with {p} about {t}.",
    "Remember that {p} prefers {t} on weekends.",
    "{t} took most of the afternoon, and {p} helped.",
    "Ask {p} about {t} before the end of the month.",
    "We agreed that {p} takes care of {t} from now on.",
    "What did {p} say about {t}? Something about next week.",
    "The plan for {t} has changed; {p} will call on Tuesday.",
];

/// Generates texts; the same seed yields the same ones.
pub struct Corpus {
    dice: StdRng,
}

/// A text with the topic it is about.
#[derive(Clone, Debug)]
pub struct Text {
    /// The content.
    pub content: String,
    /// The topic, usable as a tag.
    pub topic: &'static str,
}

impl Corpus {
    /// A generator for a seed.
    pub fn new(seed: u64) -> Self {
        Self { dice: StdRng::seed_from_u64(seed) }
    }

    /// The next text: mostly one or two sentences, sometimes a note, rarely a page.
    pub fn text(&mut self) -> Text {
        let topic = *TOPICS.choose(&mut self.dice).unwrap_or(&TOPICS[0]);
        let sentences = match self.dice.random_range(0..100) {
            0..70 => self.dice.random_range(1..=2),
            70..95 => self.dice.random_range(3..=8),
            _ => self.dice.random_range(15..=40),
        };
        let mut content = String::new();
        for _ in 0..sentences {
            if !content.is_empty() {
                content.push(' ');
            }
            content.push_str(&self.sentence(topic));
        }
        Text { content, topic: topic[0] }
    }

    /// A sentence about a topic.
    fn sentence(&mut self, topic: &[&str]) -> String {
        let frame = FRAMES.choose(&mut self.dice).unwrap_or(&FRAMES[0]);
        let person = PEOPLE.choose(&mut self.dice).unwrap_or(&PEOPLE[0]);
        let thing = topic[1..].choose(&mut self.dice).unwrap_or(&topic[0]);
        let mut sentence = frame.replace("{p}", person).replace("{t}", thing);
        if self.dice.random_bool(0.4) {
            sentence.push(' ');
            sentence.push_str(MOODS.choose(&mut self.dice).unwrap_or(&MOODS[0]));
        }
        sentence
    }

    /// A question about some topic.
    pub fn question(&mut self) -> String {
        let topic = *TOPICS.choose(&mut self.dice).unwrap_or(&TOPICS[0]);
        let thing = topic[1..].choose(&mut self.dice).unwrap_or(&topic[0]);
        let person = PEOPLE.choose(&mut self.dice).unwrap_or(&PEOPLE[0]);
        format!("What did {person} say about {thing}?")
    }

    /// A topic.
    pub fn topic(&mut self) -> &'static str {
        TOPICS.choose(&mut self.dice).unwrap_or(&TOPICS[0])[0]
    }

    /// The random generator, for other choices from the same seed.
    pub fn dice(&mut self) -> &mut StdRng {
        &mut self.dice
    }
}
