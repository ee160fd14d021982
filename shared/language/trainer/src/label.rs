//! The label before a sentence: `VERDICT KIND [OWNER] [POLARITY] [=SLOT[:QUALIFIER]] [now] [sens]`.

use kimberly_language::judge::{Kind, Owner, Polarity, Slot};

/// Words that say why a sentence is left.
const LEFT: [&str; 10] = ["greet", "thanks", "question", "task", "mood", "filler", "general", "code", "log", "answer"];

/// What the corpus says about a sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Label {
    /// The kind, if it is kept.
    pub kind: Option<Kind>,
    /// Why it is left, if the corpus says so.
    pub left: Option<&'static str>,
    /// Whom it is about, if the corpus says so.
    pub owner: Option<Owner>,
    /// Whether it is so, if the corpus says so.
    pub polarity: Option<Polarity>,
    /// What it fills.
    pub slot: Option<Slot>,
    /// Which of a kind, such as `work` of a phone.
    pub qualifier: Option<String>,
    /// Whether it is momentary.
    pub now: bool,
    /// Whether it asks for a consent.
    pub sensitive: bool,
}

/// What is wrong with a label.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LabelError {
    /// Neither `k` nor `-`.
    #[error("a label starts with `k` or `-`")]
    Verdict,
    /// Kept without a kind.
    #[error("`k` needs a kind: {}", Kind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(" "))]
    Kind,
    /// Kept although nobody's.
    #[error("a kept sentence cannot be `{0}`")]
    Nobody(&'static str),
    /// A word that means nothing.
    #[error("the label has an unknown word `{0}`")]
    Word(String),
    /// A slot that does not exist.
    #[error("no slot is named `{0}`")]
    Slot(String),
    /// A qualifier of other characters.
    #[error("the qualifier `{0}` has other characters than letters, digits and `-_.+#`")]
    Qualifier(String),
    /// Two words of one sort.
    #[error("`{0}` is said twice, or against another word of the label")]
    Twice(String),
}

impl Label {
    /// Reads a label, without the `+` before it.
    pub fn parse(text: &str) -> Result<Self, LabelError> {
        let mut words = text.split_whitespace();
        let mut label = Self::default();
        match words.next() {
            Some("k") => {
                let kind = words.next().and_then(Kind::from_name).ok_or(LabelError::Kind)?;
                label.kind = Some(kind);
            }
            Some("-") => {}
            _ => return Err(LabelError::Verdict),
        }
        for word in words {
            label.word(word)?;
        }
        if let (Some(_), Some(owner)) = (label.kind, label.owner)
            && !owner.is_somebody()
        {
            return Err(LabelError::Nobody(owner.name()));
        }
        Ok(label)
    }

    fn word(&mut self, word: &str) -> Result<(), LabelError> {
        let twice = |is: bool| if is { Err(LabelError::Twice(word.to_owned())) } else { Ok(()) };
        if let Some(slot) = word.strip_prefix('=') {
            twice(self.slot.is_some())?;
            return self.slot(slot);
        }
        if let Some(owner) = Owner::from_name(word).filter(|owner| *owner != Owner::Me) {
            twice(self.owner.is_some())?;
            self.owner = Some(owner);
        } else if let Some(polarity) = Polarity::from_name(word).filter(|polarity| *polarity != Polarity::Holds) {
            twice(self.polarity.is_some())?;
            self.polarity = Some(polarity);
        } else if let Some(left) = LEFT.iter().find(|left| **left == word) {
            twice(self.kind.is_some() || self.left.is_some())?;
            self.left = Some(left);
        } else if word == "now" {
            twice(self.now)?;
            self.now = true;
        } else if word == "sens" {
            twice(self.sensitive)?;
            self.sensitive = true;
        } else {
            return Err(LabelError::Word(word.to_owned()));
        }
        Ok(())
    }

    fn slot(&mut self, text: &str) -> Result<(), LabelError> {
        let (slot, qualifier) = text.split_once(':').map_or((text, None), |(slot, qualifier)| (slot, Some(qualifier)));
        self.slot = Some(Slot::from_name(slot).ok_or_else(|| LabelError::Slot(slot.to_owned()))?);
        if let Some(qualifier) = qualifier {
            let fits = |letter: char| letter.is_alphanumeric() || "-_.+#".contains(letter);
            if qualifier.is_empty() || !qualifier.chars().all(fits) {
                return Err(LabelError::Qualifier(qualifier.to_owned()));
            }
            self.qualifier = Some(qualifier.to_owned());
        }
        Ok(())
    }

    /// Whether the sentence is worth keeping.
    pub const fn kept(&self) -> bool {
        self.kind.is_some()
    }

    /// The label as it is written.
    pub fn written(&self) -> String {
        let mut words = vec![if self.kept() { "k".to_owned() } else { "-".to_owned() }];
        words.extend(self.kind.map(|kind| kind.name().to_owned()));
        words.extend(self.left.map(ToOwned::to_owned));
        words.extend(self.owner.map(|owner| owner.name().to_owned()));
        words.extend(self.polarity.map(|polarity| polarity.name().to_owned()));
        let qualifier = self.qualifier.as_ref().map_or_else(String::new, |qualifier| format!(":{qualifier}"));
        words.extend(self.slot.map(|slot| format!("={}{qualifier}", slot.name())));
        words.extend(self.now.then(|| "now".to_owned()));
        words.extend(self.sensitive.then(|| "sens".to_owned()));
        words.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_read_and_written() {
        for text in ["k fact other denies =phone:work now sens", "-", "- answer", "- pasted =deadline", "k wish =style"]
        {
            assert_eq!(Label::parse(text).unwrap().written(), text);
        }
    }

    #[test]
    fn wrong_labels_say_what_is_wrong() {
        assert_eq!(Label::parse("k"), Err(LabelError::Kind));
        assert_eq!(Label::parse("x fact"), Err(LabelError::Verdict));
        assert_eq!(Label::parse("k fact pasted"), Err(LabelError::Nobody("pasted")));
        assert_eq!(Label::parse("- plan"), Err(LabelError::Word("plan".to_owned())));
        assert_eq!(Label::parse("- =sword"), Err(LabelError::Slot("sword".to_owned())));
        assert_eq!(Label::parse("k fact =pet:a b"), Err(LabelError::Word("b".to_owned())));
        assert_eq!(Label::parse("k fact =pet:"), Err(LabelError::Qualifier(String::new())));
        assert_eq!(Label::parse("k fact now now"), Err(LabelError::Twice("now".to_owned())));
    }
}
