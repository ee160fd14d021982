//! A vault names its owner, so that a misplaced folder never exposes another user's memory.

use kimberly_core::UserId;
use kimberly_core::error::Result;

use super::conn::{Args, Conn};
use super::errors;
use super::rows::{Cells, ReadRow as _};

const OWNER: &str = "SELECT user_id FROM vault";
/// Sets the owner of a new vault.
pub(crate) const SET_OWNER: &str = "UPDATE vault SET user_id = ? WHERE user_id IS NULL";

/// Refuses another user's vault; returns `false` if the vault names no owner yet.
pub(crate) async fn check(conn: &mut Conn, user: &UserId) -> Result<bool> {
    match name(conn).await? {
        None => Ok(false),
        Some(owner) if owner == user.as_str() => Ok(true),
        Some(_) => Err(errors::corrupt("the vault in this user's folder belongs to another user")),
    }
}

/// Returns the owner's name; `None` if the vault names no owner yet.
pub(crate) async fn name(conn: &mut Conn) -> Result<Option<String>> {
    let owner = conn.row("reading a vault's owner", OWNER, Args::new(), |row| Cells::new(row).opt_text()).await?;
    Ok(owner.flatten())
}
