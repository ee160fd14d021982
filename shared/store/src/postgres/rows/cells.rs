//! Reads the columns of a row one after another.

use kimberly_core::error::Result;
use sqlx::postgres::{PgRow, Postgres};
use sqlx::{Decode, Row, Type};
use uuid::Uuid;

use crate::postgres::errors;
use crate::rows::ReadRow;

/// The columns of a row, starting with the first.
pub(crate) struct Cells<'r> {
    row: &'r PgRow,
    next: usize,
}

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
}

impl<'r> ReadRow<'r> for Cells<'r> {
    fn int(&mut self) -> Result<i64> {
        self.take()
    }
    fn opt_int(&mut self) -> Result<Option<i64>> {
        self.take()
    }
    fn flag(&mut self) -> Result<bool> {
        self.take()
    }
    fn real(&mut self) -> Result<f64> {
        self.take()
    }
    fn text(&mut self) -> Result<String> {
        self.take()
    }
    fn opt_text(&mut self) -> Result<Option<String>> {
        self.take()
    }
    fn str(&mut self) -> Result<&'r str> {
        self.take()
    }
    fn opt_str(&mut self) -> Result<Option<&'r str>> {
        self.take()
    }
    fn opt_bytes(&mut self) -> Result<Option<&'r [u8]>> {
        self.take()
    }
    fn uuid(&mut self) -> Result<Uuid> {
        self.take()
    }
    fn opt_uuid(&mut self) -> Result<Option<Uuid>> {
        self.take()
    }
    fn tags(&mut self) -> Result<Vec<String>> {
        self.take()
    }
}
