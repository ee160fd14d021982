//! SQL of audit data stored outside the entries.

/// The statements for one kind of file; the entries have a table of the same shape in each.
pub(crate) struct Log {
    /// Selects number and hash of the last pruned entry, and the number of the last entry.
    pub(super) range: &'static str,
    /// Selects number and hash of the newest stored entry, and the highest number ever given.
    pub(super) end: &'static str,
    /// Stores the highest number.
    pub(super) set_last: &'static str,
}

impl Log {
    /// A vault's audit.
    pub(crate) const VAULT: Self = Self {
        range: "SELECT audit_pruned, audit_pruned_hash, (SELECT items FROM counters WHERE slot = 15) FROM vault",
        end: "SELECT no, hash, (SELECT items FROM counters WHERE slot = 15) FROM audit ORDER BY no DESC LIMIT 1",
        set_last: "UPDATE counters SET items = ? WHERE slot = 15;",
    };
    /// The system's audit.
    pub(crate) const SYSTEM: Self = Self {
        range: "SELECT NULL, NULL, last FROM audit_log",
        end: "SELECT no, hash, (SELECT last FROM audit_log) FROM audit ORDER BY no DESC LIMIT 1",
        set_last: "UPDATE audit_log SET last = ?;",
    };
}
