//! Erasing a whole vault: hidden first, then emptied, then its key destroyed, and in the end shown again.
//!
//! The vault's row hides it: everything that wants the vault reads that row first. It stays, alone, until nothing anywhere names the
//! user any more, so that nobody makes the vault again meanwhile.

mod empty;
mod hold;
mod port;

pub(crate) use empty::delete_rows;
