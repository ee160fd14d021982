//! Recognizes questions about the past: they ask for what ended as much as for what holds.

/// Words that ask about the past by themselves, folded.
const WORDS: &[&str] = &[
    // English
    "before",
    "formerly",
    "previous",
    "previously",
    "earlier",
    "former",
    "originally",
    "past",
    "historically",
    "once",
    // German
    "fruher",
    "damals",
    "vorher",
    "zuvor",
    "ehemals",
    "ehemalige",
    "ehemaliger",
    "ursprunglich",
    // French, Spanish, Italian, Portuguese, Dutch
    "avant",
    "autrefois",
    "jadis",
    "antes",
    "anteriormente",
    "prima",
    "precedentemente",
    "vroeger",
    "voorheen",
    "eerder",
];
/// Words that ask about the past together.
const PAIRS: &[(&str, &str)] = &[
    ("used", "to"),
    ("use", "to"),
    ("no", "longer"),
    ("any", "more"),
    ("nicht", "mehr"),
    ("ne", "plus"),
    ("ya", "no"),
];

/// Reports whether folded words ask about the past.
pub(super) fn asks(words: &[&str]) -> bool {
    let pair = |pair: &[&str]| PAIRS.contains(&(pair[0], pair[1]));
    words.iter().any(|word| WORDS.contains(word)) || words.windows(2).any(pair)
}
