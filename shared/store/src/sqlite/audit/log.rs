//! Where an audit keeps what stands apart from its entries.

/// The statements of one kind of file; the entries themselves lie in a table of the same shape in each.
pub(crate) struct Log {
    /// Mark of pruned entries, its hash, number of the last entry.
    pub(super) range: &'static str,
    /// Number and hash of the last entry that is there, and the highest number that was ever given.
    pub(super) end: &'static str,
    /// Keeps the highest number.
    pub(super) set_last: &'static str,
}

impl Log {
    /// Of a vault.
    pub(crate) const VAULT: Self = Self {
        range: "SELECT audit_pruned, audit_pruned_hash, (SELECT items FROM counters WHERE slot = 15) FROM vault",
        end: "SELECT no, hash, (SELECT items FROM counters WHERE slot = 15) FROM audit ORDER BY no DESC LIMIT 1",
        set_last: "UPDATE counters SET items = ? WHERE slot = 15;",
    };
    /// Of the system.
    pub(crate) const SYSTEM: Self = Self {
        range: "SELECT NULL, NULL, last FROM audit_log",
        end: "SELECT no, hash, (SELECT last FROM audit_log) FROM audit ORDER BY no DESC LIMIT 1",
        set_last: "UPDATE audit_log SET last = ?;",
    };
}
