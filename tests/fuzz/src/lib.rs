//! Every parser of bytes that come from outside, as a function that takes any bytes and must return: no panic, no
//! overflow, no endless loop, no memory out of proportion. Where a parser can write what it read, the target also holds
//! it to reading that back.
//!
//! Three things call them. `cargo test` replays the seeds and some thousand mutations of them. `tests/fuzz/run TARGET`
//! lets libFuzzer search with coverage, millions of runs. `kimberly-fuzz TARGET RUNS` mutates without coverage, where
//! there is no C++ compiler.

pub mod mutate;

mod dictionary;
mod targets;

/// One parser.
#[derive(Clone, Copy)]
pub struct Target {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it reads, and where that comes from.
    pub about: &'static str,
    /// Bytes that it takes, to begin from.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Gives it any bytes. Panics if a promise is broken.
    pub run: fn(&[u8]),
}

impl std::fmt::Debug for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// All of them.
pub fn targets() -> impl Iterator<Item = Target> {
    targets::ALL.iter().flat_map(|group| group.iter().copied())
}

/// The target of a name.
pub fn target(name: &str) -> Option<Target> {
    targets().find(|target| target.name == name)
}

/// The words that mean something, as libFuzzer reads them.
pub fn dictionary_file() -> String {
    let escaped = |word: &&str| word.bytes().fold(String::new(), |text, byte| format!("{text}\\x{byte:02x}"));
    let words = dictionary::WORDS.iter().filter(|word| !word.is_empty());
    words.fold(String::new(), |file, word| format!("{file}\"{}\"\n", escaped(word)))
}
