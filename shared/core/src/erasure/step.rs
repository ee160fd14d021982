//! The steps of a purge. Each can be cut anywhere and done again, and none is begun before the one before it is done.

/// What is done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PurgeStep {
    /// Hide the vault from every call, count what it holds, delete every row and empty the log.
    Vault,
    /// Remove the vectors, and the bytes of attachments that do not lie in the vault's folder.
    Vectors,
    /// Destroy the key file, then remove the files.
    Files,
    /// Remove what waits in the queue.
    Jobs,
    /// Forget the user in the registry, and in what credentials are granted.
    Registry,
    /// Let the user come back, with nothing.
    Release,
    /// Tell it in the audit and keep the receipt.
    Receipt,
    /// Nothing: it is done.
    Done,
}

impl PurgeStep {
    /// In their order.
    pub const ALL: [Self; 8] =
        [Self::Vault, Self::Vectors, Self::Files, Self::Jobs, Self::Registry, Self::Release, Self::Receipt, Self::Done];

    /// The step after this one; `Done` stays.
    #[must_use]
    pub fn next(self) -> Self {
        Self::ALL.into_iter().find(|step| *step > self).unwrap_or(Self::Done)
    }

    /// Its name, for the log.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Vault => "vault",
            Self::Vectors => "vectors",
            Self::Files => "files",
            Self::Jobs => "jobs",
            Self::Registry => "registry",
            Self::Release => "release",
            Self::Receipt => "receipt",
            Self::Done => "done",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steps_lead_from_the_vault_to_the_receipt_and_end() {
        let mut step = PurgeStep::Vault;
        for expected in PurgeStep::ALL {
            assert_eq!(step, expected, "{}", expected.name());
            step = step.next();
        }
        assert_eq!(step, PurgeStep::Done);
    }
}
