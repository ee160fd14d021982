//! Detects the processor's features at run time.

use std::fmt;

#[cfg(target_arch = "x86_64")]
use archmage::prelude::*;

/// The best instruction set that both the kernels and the processor support.
#[derive(Clone, Copy)]
pub struct Cpu(pub(crate) Level);

/// A level, with the token that proves the processor's support.
#[derive(Clone, Copy)]
pub(crate) enum Level {
    /// AVX-512 with dot products of bytes (VNNI).
    #[cfg(target_arch = "x86_64")]
    Avx512(X64V4xToken),
    /// AVX2 and FMA.
    #[cfg(target_arch = "x86_64")]
    Avx2(X64V3Token),
    /// The baseline of the architecture.
    Portable,
}

/// Calls the function of this name in the module of the processor's level.
macro_rules! at_level {
    ($cpu:expr, $name:ident ( $($argument:expr),* $(,)? )) => {
        match $cpu.0 {
            #[cfg(target_arch = "x86_64")]
            crate::cpu::Level::Avx512(token) => avx512::$name(token, $($argument),*),
            #[cfg(target_arch = "x86_64")]
            crate::cpu::Level::Avx2(token) => avx2::$name(token, $($argument),*),
            crate::cpu::Level::Portable => portable::$name(crate::level::portable::Anywhere, $($argument),*),
        }
    };
}
pub(crate) use at_level;

impl Cpu {
    /// The best level of this processor. Cheap: detection is cached.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if let Some(token) = X64V4xToken::summon() {
                return Self(Level::Avx512(token));
            }
            if let Some(token) = X64V3Token::summon() {
                return Self(Level::Avx2(token));
            }
        }
        Self::portable()
    }

    /// The baseline level; slow, and the reference for the others.
    pub const fn portable() -> Self {
        Self(Level::Portable)
    }

    /// All levels of this processor, best first.
    pub fn levels() -> Vec<Self> {
        let mut levels = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            levels.extend(X64V4xToken::summon().map(|token| Self(Level::Avx512(token))));
            levels.extend(X64V3Token::summon().map(|token| Self(Level::Avx2(token))));
        }
        levels.push(Self::portable());
        levels
    }

    /// The level's name, for logs and reports.
    pub const fn name(self) -> &'static str {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512(_) => "AVX-512 VNNI",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2(_) => "AVX2",
            Level::Portable => "portable",
        }
    }
}

impl fmt::Debug for Cpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_detected_level_is_the_first_and_the_portable_one_the_last() {
        let names: Vec<&str> = Cpu::levels().into_iter().map(Cpu::name).collect();
        assert_eq!(names.first(), Some(&Cpu::detect().name()));
        assert_eq!(names.last(), Some(&"portable"));
    }
}
