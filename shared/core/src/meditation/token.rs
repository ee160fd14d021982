//! The token of a plan: its time, and a hash over all its decisions.

use std::fmt;

use sha2::{Digest, Sha256};

use super::Change;
use crate::error::{Error, Result};
use crate::time::Timestamp;

const PREFIX: &str = "plan1";

/// Identifies a plan. Two plans with the same token were made for the same time and decide the same, in the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanToken {
    /// The time that the plan counts ages from, on the full hour.
    pub as_of: Timestamp,
    /// SHA-256 over the subjects, kind and reason of every decision, except those that only derive data.
    hash: [u8; 32],
}

impl PlanToken {
    /// Returns the token of a plan.
    pub fn of(as_of: Timestamp, decisions: &[Change]) -> Self {
        let mut hasher = Sha256::new();
        hasher.update(PREFIX.as_bytes());
        hasher.update(as_of.0.to_be_bytes());
        // Derived changes alter nothing that was shown, and every new memory adds some.
        for decision in decisions.iter().filter(|decision| !decision.kind.rules().is_derived()) {
            decision.subjects.iter().for_each(|subject| hasher.update(subject.id.as_bytes()));
            hasher.update(decision.kind.name().as_bytes());
            hasher.update([0]);
            hasher.update(decision.reason.name().as_bytes());
            hasher.update([0]);
        }
        Self { as_of, hash: hasher.finalize().into() }
    }

    /// Parses a token that a dry run returned. The error names the field `plan_token`. A token for a future time is
    /// refused: such a plan could erase before grace ends.
    pub fn parse(raw: &str, now: Timestamp) -> Result<Self> {
        Self::read(raw).filter(|token| token.as_of <= now && token.as_of == token.as_of.start_of_hour()).ok_or_else(
            || {
                Error::invalid(
                    "plan_token",
                    "is not one that a dry run returned; send it unchanged, or make a new dry run",
                )
            },
        )
    }

    fn read(raw: &str) -> Option<Self> {
        let (as_of, hex) = raw.strip_prefix(PREFIX)?.strip_prefix('-')?.split_once('-')?;
        let as_of = as_of.parse().ok().map(Timestamp)?;
        let mut hash = [0; 32];
        let pairs = hex.as_bytes().chunks_exact(2);
        if hex.len() != 64 {
            return None;
        }
        for (byte, pair) in hash.iter_mut().zip(pairs) {
            *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
        }
        let token = Self { as_of, hash };
        (token.to_string() == raw).then_some(token)
    }
}

impl fmt::Display for PlanToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}-{}-", self.as_of.0)?;
        self.hash.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Span;

    const HOUR: Timestamp = Timestamp(1_763_640_000_000_000);

    #[test]
    fn token_reads_back_as_it_was_written() {
        let token = PlanToken::of(HOUR, &[]);
        assert_eq!(PlanToken::parse(&token.to_string(), HOUR).unwrap(), token);
        assert_ne!(PlanToken::of(HOUR.plus(Span::hours(1)), &[]), token);
    }

    #[test]
    fn token_of_the_future_or_off_the_hour_is_refused() {
        let token = PlanToken::of(HOUR, &[]).to_string();
        assert!(PlanToken::parse(&token, Timestamp(HOUR.0 - 1)).is_err());
        let off = PlanToken::of(Timestamp(HOUR.0 - 1), &[]).to_string();
        assert!(PlanToken::parse(&off, HOUR).is_err());
    }

    #[test]
    fn anything_else_is_refused_with_the_fields_name() {
        let good = PlanToken::of(HOUR, &[]).to_string();
        let upper = good.to_uppercase();
        for bad in
            ["", "plan1", "plan1-1-", &good[1..], &good[..good.len() - 1], &format!("{good}0"), &upper, "plan1-x-ü"]
        {
            let Err(Error::Invalid(found)) = PlanToken::parse(bad, HOUR) else { panic!("{bad}") };
            assert_eq!(found[0].field, "plan_token");
        }
    }
}
