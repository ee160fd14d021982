//! Reads the columns of a row one after another.

use kimberly_core::Timestamp;
use kimberly_core::error::Result;
use sqlx::postgres::{PgRow, Postgres};
use sqlx::{Decode, Row, Type};
use uuid::Uuid;

use crate::postgres::errors;
use crate::rows::reads_rows;

/// The columns of a row, starting with the first.
pub(crate) struct Cells<'r> {
    row: &'r PgRow,
    next: usize,
}

reads_rows!(Cells);

impl<'r> Cells<'r> {
    pub(crate) fn new(row: &'r PgRow) -> Self {
        Self { row, next: 0 }
    }

    fn take<T>(&mut self) -> Result<T>
    where
        T: Decode<'r, Postgres> + Type<Postgres>,
    {
        let index = self.next;
        self.next += 1;
        self.row.try_get_unchecked(index).map_err(|e| errors::sql("reading a row", &e))
    }

    /// An integer of any width.
    pub(crate) fn int(&mut self) -> Result<i64> {
        self.take()
    }

    pub(crate) fn opt_int(&mut self) -> Result<Option<i64>> {
        self.take()
    }

    /// A number that is never negative.
    pub(crate) fn count(&mut self) -> Result<u64> {
        let value: i64 = self.take()?;
        u64::try_from(value).map_err(|_| errors::corrupt(format!("a count is {value}")))
    }

    /// A boolean.
    pub(crate) fn flag(&mut self) -> Result<bool> {
        self.take()
    }

    /// A double.
    pub(crate) fn real(&mut self) -> Result<f64> {
        self.take()
    }

    pub(crate) fn time(&mut self) -> Result<Timestamp> {
        self.int().map(Timestamp)
    }

    pub(crate) fn opt_time(&mut self) -> Result<Option<Timestamp>> {
        Ok(self.opt_int()?.map(Timestamp))
    }

    pub(crate) fn text(&mut self) -> Result<String> {
        self.take()
    }

    pub(crate) fn opt_text(&mut self) -> Result<Option<String>> {
        self.take()
    }

    pub(crate) fn str(&mut self) -> Result<&'r str> {
        self.take()
    }

    pub(crate) fn opt_str(&mut self) -> Result<Option<&'r str>> {
        self.take()
    }

    /// An array of texts.
    pub(crate) fn texts(&mut self) -> Result<Vec<String>> {
        self.take()
    }

    /// An array of ids.
    pub(crate) fn uuids(&mut self) -> Result<Vec<Uuid>> {
        self.take()
    }

    /// An array of `bigint`.
    pub(crate) fn ints(&mut self) -> Result<Vec<i64>> {
        self.take()
    }

    /// Tags.
    pub(crate) fn tags(&mut self) -> Result<Vec<String>> {
        self.texts()
    }

    pub(crate) fn opt_bytes(&mut self) -> Result<Option<&'r [u8]>> {
        self.take()
    }

    pub(crate) fn uuid(&mut self) -> Result<Uuid> {
        self.take()
    }

    pub(crate) fn opt_uuid(&mut self) -> Result<Option<Uuid>> {
        self.take()
    }

    /// 32 bytes or NULL.
    pub(crate) fn opt_digest(&mut self) -> Result<Option<[u8; 32]>> {
        let bytes = self.opt_bytes()?;
        bytes
            .map(|b| b.try_into().map_err(|_| errors::corrupt(format!("a fingerprint has {} bytes", b.len()))))
            .transpose()
    }

    /// 32 bytes; zeros for anything else.
    pub(crate) fn digest_or_zeros(&mut self) -> Result<[u8; 32]> {
        Ok(self.opt_bytes()?.and_then(|bytes| bytes.try_into().ok()).unwrap_or_default())
    }
}
