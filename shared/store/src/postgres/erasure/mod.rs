//! Erases a whole vault: hides it, empties it, destroys its key, and finally unhides its place.
//!
//! The vault's row hides it; every access reads that row first. The row stays, alone, until the user is named nowhere
//! any more, so that the vault is not created again meanwhile.

mod empty;
mod hold;
mod port;

pub(crate) use empty::delete_rows;
