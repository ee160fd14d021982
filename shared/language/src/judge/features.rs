//! What the judge sees of a sentence. Every feature is one hash; its name is only made for explanations.

use std::ops::Range;

use super::layout::{Place, Spot, spots};
use super::pieces::{end_of, ending, letters, start_of, step};
use super::shapes::{Shape, shapes};
use super::tokens::{Class, Token, Tokens, hash_bytes, mix};
use super::{Message, Role};

/// Features of a group share a factor that depends on their number in a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Place, shape, length, role
    Form,
    /// Words of the sentence
    Words,
    /// Two and more words of it together
    Pairs,
    /// Parts of its words
    Letters,
    /// Words around it
    Around,
}

impl Group {
    /// The number of groups.
    pub const COUNT: usize = 5;

    /// All of them.
    pub const ALL: [Self; Self::COUNT] = [Self::Form, Self::Words, Self::Pairs, Self::Letters, Self::Around];
}

/// Takes the features of a sentence.
pub trait Sink {
    /// Takes one.
    fn add(&mut self, group: Group, hash: u64, name: impl FnOnce() -> String);
}

/// Words of a sentence that count.
const MOST_WORDS: usize = 160;
/// Words that count of a sentence around it.
const MOST_AROUND: usize = 14;

/// Earlier texts that say how to read a message.
struct Around {
    name: &'static str,
    tokens: Tokens,
}

/// A message with what surrounds it, read once for all its sentences.
pub struct Scene<'m> {
    message: &'m Message<'m>,
    spans: &'m [Range<usize>],
    tokens: Tokens,
    spots: Vec<Spot>,
    around: Vec<Around>,
    form: Vec<(u64, String)>,
}

impl<'m> Scene<'m> {
    /// Reads a message.
    pub fn new(before: &[Message<'_>], message: &'m Message<'m>, spans: &'m [Range<usize>]) -> Self {
        let tokens = Tokens::of(message.text, 0);
        let spots = spots(message.text, spans);
        let people = |one: &&Message<'_>| one.role == Role::User;
        let mut around = Vec::new();
        if let Some(last) = before.last() {
            let name = if last.role == message.role { "before, same role" } else { "before" };
            around.push(Around { name, tokens: Tokens::of(end_of(last.text), 0) });
        }
        if let Some(last) = before.iter().rev().find(people) {
            around.push(Around { name: "message before", tokens: Tokens::of(start_of(last.text), 0) });
        }
        if let Some(first) = before.iter().find(people) {
            around.push(Around { name: "conversation", tokens: Tokens::of(start_of(first.text), 0) });
        }
        Self { form: form(before, message, spans.len()), message, spans, tokens, spots, around }
    }

    /// The features of a sentence of the message.
    pub fn features(&self, index: usize, sink: &mut impl Sink) {
        let (Some(span), Some(spot)) = (self.spans.get(index), self.spots.get(index)) else {
            return;
        };
        let own = self.tokens.within(span);
        let own = own.get(..own.len().min(MOST_WORDS)).unwrap_or_default();
        self.words(own, sink);
        for token in own.iter().filter(|token| token.class == Class::Word) {
            letters(self.tokens.text(token), sink);
        }
        self.pattern(own, sink);
        self.place(index, spot, own, sink);
        self.neighbours(index, spot, sink);
    }

    /// The places of the sentences.
    pub fn spots(&self) -> &[Spot] {
        &self.spots
    }

    fn words(&self, own: &[Token], sink: &mut impl Sink) {
        let text = |token: &Token| self.tokens.text(token).to_owned();
        let hash = |at: usize| own.get(at).map_or(1, |token| token.hash);
        let first = own.iter().position(|token| token.class != Class::Mark).unwrap_or_default();
        for (at, token) in own.iter().enumerate() {
            sink.add(Group::Words, mix(token.hash, 10), || format!("word \"{}\"", text(token)));
            let pair = mix(mix(token.hash, hash(at + 1)), 11);
            let next = || own.get(at + 1).map_or_else(|| "end".to_owned(), text);
            sink.add(Group::Pairs, pair, || format!("words \"{} {}\"", text(token), next()));
            for (far, id) in [(2, 12), (3, 13)] {
                if let Some(other) = own.get(at + far) {
                    let pair = mix(mix(token.hash, other.hash), id);
                    sink.add(Group::Pairs, pair, || format!("words \"{} … {}\"", text(token), text(other)));
                }
            }
            if let (Some(one), Some(two)) = (own.get(at + 1), own.get(at + 2)) {
                let three = mix(mix(mix(token.hash, one.hash), two.hash), 14);
                sink.add(Group::Pairs, three, || format!("words \"{} {} {}\"", text(token), text(one), text(two)));
            }
            if (first + 1..first + 10).contains(&at) {
                let pair = mix(mix(hash(first), token.hash), 15);
                let start = || own.get(first).map_or_else(String::new, text);
                sink.add(Group::Pairs, pair, || format!("starts \"{}\" and has \"{}\"", start(), text(token)));
            }
        }
        for (many, id) in [(1, 16), (2, 17), (3, 18)] {
            let start = own.get(first..first + many).unwrap_or_default();
            let joined = start.iter().fold(id, |joined, token| mix(joined, token.hash));
            let name = || start.iter().map(text).collect::<Vec<_>>().join(" ");
            sink.add(Group::Pairs, joined, || format!("starts \"{}\"", name()));
        }
        if let Some(last) = own.iter().rev().find(|token| token.class != Class::Mark) {
            sink.add(Group::Pairs, mix(last.hash, 19), || format!("ends \"{}\"", text(last)));
        }
    }

    /// Runs of two to four words, of which longer ones are only their ending.
    fn pattern(&self, own: &[Token], sink: &mut impl Sink) {
        let short = |token: &Token| token.class != Class::Word || self.tokens.text(token).len() <= 4;
        let bone = |token: &Token| {
            if short(token) { token.hash } else { mix(hash_bytes(ending(self.tokens.text(token)).as_bytes()), 60) }
        };
        let name = |token: &Token| {
            let text = self.tokens.text(token);
            if short(token) { text.to_owned() } else { format!("-{}", ending(text)) }
        };
        let bones: Vec<u64> = own.iter().map(bone).collect();
        for (many, id) in [(2, 61), (3, 62), (4, 63)] {
            for (run, tokens) in bones.windows(many).zip(own.windows(many)) {
                let joined = run.iter().fold(id, |joined, bone| mix(joined, *bone));
                let names = || tokens.iter().map(name).collect::<Vec<_>>().join(" ");
                sink.add(Group::Pairs, joined, || format!("pattern \"{}\"", names()));
            }
        }
    }

    /// Where the sentence stands, how long it is, what it looks like, and who says it.
    fn place(&self, index: usize, spot: &Spot, own: &[Token], sink: &mut impl Sink) {
        for (hash, name) in &self.form {
            sink.add(Group::Form, *hash, || name.clone());
        }
        for place in Place::ALL.into_iter().filter(|place| spot.is(*place)) {
            sink.add(Group::Form, mix(place as u64, 20), || format!("{place:?}"));
        }
        let role = self.message.role;
        let shapes = shapes(self.span_text(index), own);
        for shape in Shape::ALL.iter().copied().filter(|shape| shapes.has(*shape)) {
            sink.add(Group::Form, mix(shape as u64, 21), || format!("{shape:?}"));
            if matches!(shape, Shape::Asks | Shape::EndsColon) {
                let hash = mix(shape as u64, 22 + role as u64);
                sink.add(Group::Form, hash, || format!("{shape:?} of {}", role.name()));
            }
        }
        let last = self.spans.len() - 1 - index;
        let numbers = [("sentences before", index), ("words", own.len()), ("paragraphs before", spot.paragraph)];
        for (id, (name, number)) in (26..).zip(numbers) {
            let step = step(number);
            sink.add(Group::Form, mix(hash_bytes(step.as_bytes()), id), || format!("{step} {name}"));
        }
        if shapes.has(Shape::Asks) && last > 0 {
            sink.add(Group::Form, mix(1, 42), || "asks, and more follows".to_owned());
        }
    }

    fn span_text(&self, index: usize) -> &str {
        self.spans.get(index).and_then(|span| self.message.text.get(span.clone())).unwrap_or_default()
    }

    /// Words of sentences around it and of earlier messages.
    fn neighbours(&self, index: usize, spot: &Spot, sink: &mut impl Sink) {
        if index > 0 {
            self.neighbour("previous", 30, index - 1, sink);
        }
        if index > 1 {
            self.neighbour("second before", 31, index - 2, sink);
        }
        self.neighbour("next", 32, index + 1, sink);
        if spot.head < index {
            self.neighbour("paragraph starts", 33, spot.head, sink);
        }
        if let Some(intro) = spot.intro {
            self.neighbour("introduced by", 34, intro, sink);
        }
        if index > 0 {
            self.neighbour("message starts", 35, 0, sink);
        }
        for one in &self.around {
            let id = hash_bytes(one.name.as_bytes());
            around(one.name, id, &one.tokens, one.tokens.all(), sink);
        }
    }

    fn neighbour(&self, name: &str, id: u64, index: usize, sink: &mut impl Sink) {
        if let Some(span) = self.spans.get(index) {
            around(name, id, &self.tokens, self.tokens.within(span), sink);
            let asks = self.span_text(index).trim_end().ends_with('?');
            if asks {
                sink.add(Group::Form, mix(id, 41), || format!("{name} asks"));
            }
        }
    }
}

fn around(name: &str, id: u64, tokens: &Tokens, list: &[Token], sink: &mut impl Sink) {
    let end = list.len().saturating_sub(3);
    let counts = |at: usize| at < MOST_AROUND || at >= end;
    for (_, token) in list.iter().enumerate().filter(|(at, _)| counts(*at)) {
        sink.add(Group::Around, mix(mix(token.hash, id), 40), || format!("{name} has \"{}\"", tokens.text(token)));
    }
}

/// What is true of a message as a whole.
fn form(before: &[Message<'_>], message: &Message<'_>, sentences: usize) -> Vec<(u64, String)> {
    let role = message.role.name();
    let mut form = vec![format!("role {role}"), format!("{} messages before", step(before.len()))];
    form.push(format!("message of {} sentences", step(sentences)));
    if let Some(speaker) = message.speaker {
        form.push("has a speaker".to_owned());
        let others = before.iter().filter_map(|one| one.speaker).any(|other| other != speaker);
        form.push(if others { "several speakers" } else { "one speaker" }.to_owned());
    }
    if let Some(last) = before.last() {
        form.push(format!("after {}", last.role.name()));
        if last.text.trim_end().ends_with('?') {
            form.push(format!("after a question of {}", last.role.name()));
        }
    }
    form.into_iter().map(|name| (mix(hash_bytes(name.as_bytes()), 19), name)).collect()
}
