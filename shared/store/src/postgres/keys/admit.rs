//! Checks the keys that a store was given: they must be those of its database, or none if nothing was ever sealed. With
//! other keys, sensitive memories would be stored plain, or sealed with keys that only this machine has.

use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_crypto::Keys;

use super::table;
use crate::keys;
use crate::postgres::conn::Args;
use crate::postgres::pool::Pool;
use crate::postgres::rows::{Cells, ReadRow as _};
use crate::postgres::statement;

const ANY_KEY: &str = "SELECT EXISTS (SELECT 1 FROM wrapped_keys WHERE name <> 'id')";

/// Refuses keys of another store, and missing keys if the database has some.
pub(crate) async fn admit(pool: &Pool, given: &Keys) -> Result<()> {
    let doing = "reading the id of the database's keys";
    let mut raw = pool.connection().await?;
    let (mut id, mut any_key) = (None, false);
    let read_id = |row: &_| {
        id = Cells::new(row).opt_bytes()?.map(<[u8]>::to_vec);
        Ok(true)
    };
    let read_any = |row: &_| {
        any_key = Cells::new(row).flag()?;
        Ok(true)
    };
    statement::for_each(&mut raw, table::READ.into(), table::read_args(table::ID), read_id)
        .await
        .map_err(|failure| failure.into_error(doing))?;
    statement::for_each(&mut raw, ANY_KEY.into(), Args::none(), read_any)
        .await
        .map_err(|failure| failure.into_error(doing))?;
    let id = id.map(|id| table::id(&id)).transpose().map_err(|error| keys::failure(&error))?;
    match given.data_id() {
        None if any_key => Err(refused(
            "encryption.enabled is false, but the database holds keys, with which sensitive memories are sealed; set it to \
             true, which is the default",
        )),
        Some(given) if id.as_deref() != Some(given) => Err(refused(
            "the keys do not match the database: with vaults in Postgres, wrapped keys are stored there, too, for \
             every machine",
        )),
        _ => Ok(()),
    }
}

fn refused(problem: &str) -> Error {
    Error::storage(StorageFailure::Defect, problem)
}
