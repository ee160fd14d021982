//! Every parser of foreign bytes, as a function that accepts any bytes and must return: without a panic, an overflow, an
//! endless loop or excessive memory. If a parser's result can be written, the target also checks that it reads back.
//!
//! The targets have three callers. `cargo test` replays the seeds and some thousand mutations of them.
//! `tests/fuzz/run TARGET` runs libFuzzer with coverage, for millions of runs. `kimberly-fuzz TARGET RUNS` mutates
//! without coverage, and needs no C++ compiler.

pub mod mutate;

mod dictionary;
mod targets;

/// A parser to fuzz.
#[derive(Clone, Copy)]
pub struct Target {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its input, and where that comes from.
    pub about: &'static str,
    /// Valid inputs to start from.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Runs the parser on any bytes. Panics if an invariant is violated.
    pub run: fn(&[u8]),
}

impl std::fmt::Debug for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// All targets.
pub fn targets() -> impl Iterator<Item = Target> {
    targets::ALL.iter().flat_map(|group| group.iter().copied())
}

/// The target with this name.
pub fn target(name: &str) -> Option<Target> {
    targets().find(|target| target.name == name)
}

/// The dictionary in the format of libFuzzer.
pub fn dictionary_file() -> String {
    let escaped = |word: &&str| word.bytes().fold(String::new(), |text, byte| format!("{text}\\x{byte:02x}"));
    let words = dictionary::WORDS.iter().filter(|word| !word.is_empty());
    words.fold(String::new(), |file, word| format!("{file}\"{}\"\n", escaped(word)))
}
