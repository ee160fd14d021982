//! Mutations without coverage: changes, cuts, repeats and splices bytes, and inserts words.

use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{Rng as _, SeedableRng as _};

use crate::Target;
use crate::dictionary::{LENGTHS, WORDS};

/// Longest generated input, in bytes.
const MAX: usize = 1 << 17;
/// Most inputs kept for further mutation.
const POOL: usize = 512;

/// Generates inputs for one target; equal seeds give equal inputs.
#[derive(Debug)]
pub struct Mutator {
    dice: StdRng,
    pool: Vec<Vec<u8>>,
}

impl Mutator {
    /// Starts with the target's seeds.
    pub fn new(target: Target, seed: u64) -> Self {
        let mut pool = (target.seeds)();
        pool.push(Vec::new());
        Self { dice: StdRng::seed_from_u64(seed), pool }
    }

    /// Returns the next input: one to four mutations of a seed or an earlier input.
    pub fn next_input(&mut self) -> Vec<u8> {
        let mut input = self.pool.choose(&mut self.dice).cloned().unwrap_or_default();
        for _ in 0..self.dice.random_range(1..=4) {
            self.step(&mut input);
        }
        input.truncate(MAX);
        if self.dice.random_ratio(1, 64) {
            self.add(input.clone());
        }
        input
    }

    /// Adds an input to the pool. If the pool is full, replaces a random entry behind the first quarter, which starts
    /// with the seeds.
    fn add(&mut self, input: Vec<u8>) {
        if self.pool.len() < POOL {
            self.pool.push(input);
        } else {
            let at = self.dice.random_range(POOL / 4..POOL);
            self.pool[at] = input;
        }
    }

    fn step(&mut self, input: &mut Vec<u8>) {
        let at = self.dice.random_range(0..=input.len());
        match self.dice.random_range(0..10) {
            0 => input.truncate(at),
            1 => self.insert(input, at),
            2 => self.splice(input, at),
            3 => double(input, at, self.dice.random_range(1..=64)),
            4 => {
                let until = (at + self.dice.random_range(1..=16)).min(input.len());
                input.drain(at..until);
            }
            5 => {
                let byte = self.dice.random();
                let length = LENGTHS.choose(&mut self.dice).copied().unwrap_or(1);
                input.splice(at..at, std::iter::repeat_n(byte, length));
            }
            _ => self.change(input, at),
        }
    }

    fn change(&mut self, input: &mut [u8], at: usize) {
        let Some(byte) = input.get_mut(at) else { return };
        *byte = match self.dice.random_range(0..4) {
            0 => *byte ^ 1 << self.dice.random_range(0..8),
            1 => byte.wrapping_add(1),
            2 => byte.wrapping_sub(1),
            _ => self.dice.random(),
        };
    }

    fn insert(&mut self, input: &mut Vec<u8>, at: usize) {
        let word = WORDS.choose(&mut self.dice).copied().unwrap_or_default();
        input.splice(at..at, word.bytes());
    }

    /// Appends the rest of another input to the beginning of this one.
    fn splice(&mut self, input: &mut Vec<u8>, at: usize) {
        let other = self.pool.choose(&mut self.dice).cloned().unwrap_or_default();
        let from = self.dice.random_range(0..=other.len());
        input.truncate(at);
        input.extend_from_slice(other.get(from..).unwrap_or_default());
    }
}

/// Repeats `length` bytes at a position.
fn double(input: &mut Vec<u8>, at: usize, length: usize) {
    let piece = input.get(at..(at + length).min(input.len())).unwrap_or_default().to_vec();
    input.splice(at..at, piece);
}
