//! Values and rows as they are moved, of neither backend, and what is summed over them.

use sha2::{Digest as _, Sha256};

/// A value. Shown by no `Debug`: it may be the text of a memory.
#[derive(Clone, PartialEq)]
pub(crate) enum Cell {
    /// None.
    Null,
    /// A whole number; 0 or 1 for no or yes.
    Int(i64),
    /// A double.
    Real(f64),
    /// A text; tags as a JSON array.
    Text(String),
    /// Bytes, those of an id too.
    Bytes(Vec<u8>),
}

/// The values of a row, in the order of its table's columns.
pub(crate) type Row = Vec<Cell>;

impl Cell {
    /// About how much memory it takes.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Null | Self::Int(_) | Self::Real(_) => 8,
            Self::Text(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
        }
    }

    /// A number; `None` for anything else.
    pub(crate) fn int(&self) -> Option<i64> {
        match self {
            Self::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// A double; `None` for anything else.
    pub(crate) fn real(&self) -> Option<f64> {
        match self {
            Self::Real(number) => Some(*number),
            _ => None,
        }
    }

    /// A text; `None` for anything else.
    pub(crate) fn text(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.clone()),
            _ => None,
        }
    }

    /// Bytes; `None` for anything else.
    pub(crate) fn bytes(&self) -> Option<Vec<u8>> {
        match self {
            Self::Bytes(bytes) => Some(bytes.clone()),
            _ => None,
        }
    }

    /// Adds it to a sum, so that no two rows read alike.
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
            // SQLite keeps no sign of a zero.
            Self::Real(number) => {
                sum.update([2]);
                sum.update((number + 0.0).to_bits().to_be_bytes());
            }
            Self::Text(text) => with_length(sum, 3, text.as_bytes()),
            Self::Bytes(bytes) => with_length(sum, 4, bytes),
        }
    }
}

/// How many rows a table has, and SHA-256 over them in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sum {
    /// How many.
    pub(crate) rows: u64,
    /// Over all.
    pub(crate) hash: [u8; 32],
}

/// A sum that is being made.
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

    /// What came of it.
    pub(crate) fn end(self) -> Sum {
        Sum { rows: self.rows, hash: self.sum.finalize().into() }
    }
}

/// What several tables hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Contents(pub(crate) Vec<(&'static str, Sum)>);

impl Contents {
    /// Rows of all tables.
    pub(crate) fn rows(&self) -> u64 {
        self.0.iter().map(|(_, sum)| sum.rows).sum()
    }

    /// Rows of one.
    pub(crate) fn rows_of(&self, table: &str) -> u64 {
        self.0.iter().filter(|(name, _)| *name == table).map(|(_, sum)| sum.rows).sum()
    }

    /// One hash over names, counts and hashes.
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

/// Bytes as hexadecimal digits.
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
