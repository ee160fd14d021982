//! The steps of a purge. Each can be interrupted and repeated, and starts only after the previous one is complete.

/// The next step of a purge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PurgeStep {
    /// Hide the vault from every call, count its contents, delete every row and empty the log.
    Vault,
    /// Remove the vectors and the attachments' bytes that are stored outside the vault's folder.
    Vectors,
    /// Destroy the key file, then remove the files.
    Files,
    /// Remove the user's jobs from the queue.
    Jobs,
    /// Remove the user from the registry and from credentials' grants.
    Registry,
    /// Allow the user to start over with an empty vault.
    Release,
    /// Record the purge in the audit and store the receipt.
    Receipt,
    /// Nothing: the purge is complete.
    Done,
}

impl PurgeStep {
    /// All steps, in order.
    pub const ALL: [Self; 8] =
        [Self::Vault, Self::Vectors, Self::Files, Self::Jobs, Self::Registry, Self::Release, Self::Receipt, Self::Done];

    /// Returns the following step; `Done` stays.
    #[must_use]
    pub fn next(self) -> Self {
        Self::ALL.into_iter().find(|step| *step > self).unwrap_or(Self::Done)
    }

    /// The step's name in logs.
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
