//! Quotas, grace and caps as pure rules.
