//! Recognizes messages that only greet, thank or praise.

use super::Language;
use super::tokens::tokens;

/// Most words of such a message.
const LONGEST: usize = 12;

/// Reports whether a message only greets, thanks, praises or acknowledges: no word of it names a subject.
pub fn is_courtesy(text: &str) -> bool {
    // A message this short does not say in which language it is.
    [Language::english(), Language::german()].into_iter().any(|language| is_courtesy_in(language, text))
}

fn is_courtesy_in(language: &Language, text: &str) -> bool {
    let known = language.known();
    let mut words = Vec::new();
    tokens(language, text, 0..text.len(), &mut words);
    let light = known.greeting | known.filler | known.stop | known.vague;
    let own = known.first | known.mine | known.me;
    let asks_about_oneself = || text.contains('?') && words.iter().any(|word| word.is(own));
    (1..=LONGEST).contains(&words.len())
        && words.iter().any(|word| word.is(known.greeting | known.filler))
        && words.iter().all(|word| word.is(light) && !word.number)
        && !asks_about_oneself()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thanks_and_greetings_are_courtesy_and_whatever_names_a_subject_is_not() {
        let polite = [
            "Thanks, that helped a lot!",
            "hi",
            "Hello there, good morning!",
            "Ok, sounds good.",
            "Great, thank you so much 🙂",
            "Awesome!",
            "good night",
            "Vielen Dank!",
            "Guten Morgen",
        ];
        let unrecognized: Vec<_> = polite.into_iter().filter(|text| !is_courtesy(text)).collect();
        assert!(unrecognized.is_empty(), "{unrecognized:?}");
        let others = [
            "",
            "Thanks! And where does my sister live?",
            "Great, book the hotel in Lisbon.",
            "What do I love?",
            "Hello, who am I?",
            "No, the other one.",
            "What is good for a nut allergy?",
            "Sorry, I meant the blue one",
            "Good morning, when does the train leave?",
        ];
        let taken: Vec<_> = others.into_iter().filter(|text| is_courtesy(text)).collect();
        assert!(taken.is_empty(), "{taken:?}");
    }
}
