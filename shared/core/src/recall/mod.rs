//! What matters for a query (K-5).
