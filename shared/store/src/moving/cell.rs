//! Values and rows in a form independent of either backend, and digests over them.

use kimberly_core::error::Result;
use sha2::{Digest as _, Sha256};

use crate::rows::{ReadRow, labels_json};
use crate::tables::{Kind, Table};

/// A value. Has no `Debug`, because it may be the text of a memory.
#[derive(Clone, PartialEq)]
pub(crate) enum Cell {
    /// NULL.
    Null,
    /// An integer; 0 or 1 for a flag.
    Int(i64),
    /// A double.
    Real(f64),
    /// Text; tags are a JSON array.
    Text(String),
    /// Bytes, including those of an id.
    Bytes(Vec<u8>),
}

/// The values of a row, in the order of its table's columns.
pub(crate) type Row = Vec<Cell>;

/// Reads a row from the columns of its table.
pub(crate) fn row_from<'r>(c: &mut impl ReadRow<'r>, table: &Table) -> Result<Row> {
    table.columns.iter().map(|column| cell_from(c, column.kind)).collect()
}

fn cell_from<'r>(c: &mut impl ReadRow<'r>, kind: Kind) -> Result<Cell> {
    Ok(match kind {
        Kind::Int | Kind::Small | Kind::Flag => c.opt_int()?.map_or(Cell::Null, Cell::Int),
        Kind::Real => Cell::Real(c.real()?),
        Kind::Text => c.opt_text()?.map_or(Cell::Null, Cell::Text),
        Kind::Id | Kind::Bytes => c.opt_bytes()?.map_or(Cell::Null, |bytes| Cell::Bytes(bytes.to_vec())),
        Kind::Tags => labels_json(&c.tags()?).map_or(Cell::Null, Cell::Text),
    })
}

impl Cell {
    /// Approximate size in memory, in bytes.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Null | Self::Int(_) | Self::Real(_) => 8,
            Self::Text(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
        }
    }

    /// Returns the integer; `None` for another type.
    pub(crate) fn int(&self) -> Option<i64> {
        match self {
            Self::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns the double; `None` for another type.
    pub(crate) fn real(&self) -> Option<f64> {
        match self {
            Self::Real(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns the text; `None` for another type.
    pub(crate) fn text(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.clone()),
            _ => None,
        }
    }

    /// Returns the bytes; `None` for another type.
    pub(crate) fn bytes(&self) -> Option<Vec<u8>> {
        match self {
            Self::Bytes(bytes) => Some(bytes.clone()),
            _ => None,
        }
    }

    /// Adds the value to a digest, with type and length, so that different rows never hash alike.
    fn add_to(&self, sum: &mut Sha256) {
        let with_length = |sum: &mut Sha256, tag: u8, bytes: &[u8]| {
            sum.update([tag]);
            sum.update((bytes.len() as u64).to_be_bytes());
            sum.update(bytes);
        };
        match self {
            Self::Null => sum.update([0]),
            Self::Int(number) => {
                sum.update([1]);
                sum.update(number.to_be_bytes());
            }
            // SQLite does not keep the sign of zero.
            Self::Real(number) => {
                sum.update([2]);
                sum.update((number + 0.0).to_bits().to_be_bytes());
            }
            Self::Text(text) => with_length(sum, 3, text.as_bytes()),
            Self::Bytes(bytes) => with_length(sum, 4, bytes),
        }
    }
}

/// A table's row count and the SHA-256 over its rows in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sum {
    /// Number of rows.
    pub(crate) rows: u64,
    /// SHA-256 over all rows.
    pub(crate) hash: [u8; 32],
}

/// A sum in progress.
#[derive(Default)]
pub(crate) struct Summing {
    rows: u64,
    sum: Sha256,
}

impl Summing {
    /// Adds a row.
    pub(crate) fn add(&mut self, row: &Row) {
        self.rows += 1;
        self.sum.update((row.len() as u64).to_be_bytes());
        for cell in row {
            cell.add_to(&mut self.sum);
        }
    }

    /// Finishes the sum.
    pub(crate) fn end(self) -> Sum {
        Sum { rows: self.rows, hash: self.sum.finalize().into() }
    }
}

/// The sums of several tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Contents(pub(crate) Vec<(&'static str, Sum)>);

impl Contents {
    /// Returns the number of rows of all tables.
    pub(crate) fn rows(&self) -> u64 {
        self.0.iter().map(|(_, sum)| sum.rows).sum()
    }

    /// Returns the number of rows of one table.
    pub(crate) fn rows_of(&self, table: &str) -> u64 {
        self.0.iter().filter(|(name, _)| *name == table).map(|(_, sum)| sum.rows).sum()
    }

    /// Returns one hash over names, counts and hashes of the tables.
    pub(crate) fn digest(&self) -> [u8; 32] {
        let mut all = Sha256::new();
        for (name, sum) in &self.0 {
            all.update((name.len() as u64).to_be_bytes());
            all.update(name);
            all.update(sum.rows.to_be_bytes());
            all.update(sum.hash);
        }
        all.finalize().into()
    }
}

/// Formats bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(rows: &[Row]) -> Sum {
        let mut summing = Summing::default();
        for row in rows {
            summing.add(row);
        }
        summing.end()
    }

    #[test]
    fn rows_that_differ_anywhere_have_other_sums() {
        let text = |text: &str| Cell::Text(text.to_owned());
        let rows: Vec<Vec<Row>> = vec![
            vec![],
            vec![vec![]],
            vec![vec![Cell::Null]],
            vec![vec![Cell::Int(0)]],
            vec![vec![Cell::Int(1)]],
            vec![vec![Cell::Real(1.0)]],
            vec![vec![text("")]],
            vec![vec![text("ab"), text("")]],
            vec![vec![text("a"), text("b")]],
            vec![vec![text("a")], vec![text("b")]],
            vec![vec![Cell::Bytes(b"ab".to_vec()), text("")]],
        ];
        for (one, first) in rows.iter().enumerate() {
            for (other, second) in rows.iter().enumerate() {
                assert_eq!(sum(first) == sum(second), one == other, "{one} {other}");
            }
        }
        assert_eq!(sum(&[vec![Cell::Real(-0.0)]]), sum(&[vec![Cell::Real(0.0)]]));
    }

    #[test]
    fn one_hash_tells_tables_apart() {
        let of = |name, rows| Contents(vec![(name, Sum { rows, hash: [7; 32] })]);
        assert_ne!(of("a", 1).digest(), of("b", 1).digest());
        assert_ne!(of("a", 1).digest(), of("a", 2).digest());
        assert_eq!((of("a", 2).rows(), of("a", 2).rows_of("b")), (2, 0));
        assert_eq!(hex(&[0, 255, 16]), "00ff10");
    }
}
