//! The ways to join two rankings.

use std::fmt;
use std::str::FromStr;

/// How two rankings are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fusion {
    /// The sum of calibrated strengths.
    #[default]
    Sum,
    /// Reciprocal rank fusion.
    Rrf,
}

impl Fusion {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Sum, Self::Rrf];

    /// The published name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Rrf => "rrf",
        }
    }
}

impl fmt::Display for Fusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Fusion {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|fusion| fusion.name() == name);
        known.ok_or_else(|| format!("{name:?} is not known; \"sum\" and \"rrf\" are allowed"))
    }
}
