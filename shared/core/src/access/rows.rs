//! Which memories of its users a credential may see. Not in effect yet: what asks for a limit is refused, never accepted
//! and passed over.

use crate::error::{Error, Result};
use crate::memory::Tier;

/// Limits on memories, as they are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// Only these namespaces; empty means all.
    pub namespaces: Vec<String>,
    /// Only these tiers; empty means all.
    pub tiers: Vec<Tier>,
    /// No sensitive memories.
    pub exclude_sensitive: bool,
}

impl Rows {
    /// Refuses every limit; errors name the fields below `field`.
    pub fn refuse_limits(&self, field: &str) -> Result<()> {
        let limits = [
            ("namespaces", !self.namespaces.is_empty()),
            ("tiers", !self.tiers.is_empty()),
            ("exclude_sensitive", self.exclude_sensitive),
        ];
        let problem = "cannot be limited by this version, which grants all memories of a user or none; leave it unset";
        let refused = limits.into_iter().filter(|(_, limited)| *limited);
        let violations: Vec<_> =
            refused.map(|(name, _)| crate::FieldViolation::new(format!("{field}.{name}"), problem)).collect();
        if violations.is_empty() { Ok(()) } else { Err(Error::Invalid(violations)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_is_refused_by_name() {
        assert!(Rows::default().refuse_limits("grant").is_ok());
        let all = Rows { namespaces: vec!["work".to_owned()], tiers: vec![Tier::LongTerm], exclude_sensitive: true };
        let Err(Error::Invalid(violations)) = all.refuse_limits("grant") else { panic!("limits were accepted") };
        let fields: Vec<_> = violations.iter().map(|violation| violation.field.as_str()).collect();
        assert_eq!(fields, ["grant.namespaces", "grant.tiers", "grant.exclude_sensitive"]);
    }
}
