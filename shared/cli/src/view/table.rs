//! Tables that fit the terminal: the text gets most of the width, and what does not fit beside it goes below it.

use std::io;

use comfy_table::{Cell, ColumnConstraint, ContentArrangement, LineStyle, Row, Table, TableStyle, Width};

use super::short::is_wide;
use crate::ids::Kind;

/// Only a line under the header.
const STYLE: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─'));
/// Width without a terminal and without the variable COLUMNS, in characters.
const WIDTH: u16 = 120;
/// Minimum width with complete ids.
const WIDE: u16 = 200;
/// Minimum width of the text if it needs so much, even if other columns go below it.
const TEXT: usize = 45;
/// Columns up to this width are never wrapped: times, numbers, states.
const SHORT: usize = 20;
/// Width that other wrapped columns need beside the text.
const LEAST: usize = 24;

/// The width of the terminal, in characters.
pub(crate) fn width() -> usize {
    let named = std::env::var("COLUMNS").ok().and_then(|width| width.parse().ok());
    let known = named.or_else(|| rustix::termios::tcgetwinsize(io::stdout()).ok().map(|size| size.ws_col));
    let width = known.filter(|width| *width > 0).unwrap_or(WIDTH);
    usize::from(if is_wide() { width.max(WIDE) } else { width })
}

/// An empty table.
pub(crate) fn table(headers: &[&str]) -> Rows {
    Rows { headers: headers.iter().map(|&header| header.to_owned()).collect(), rows: Vec::new() }
}

/// The rows of a table.
pub(crate) struct Rows {
    headers: Vec<String>,
    rows: Vec<Row>,
}

impl Rows {
    pub(crate) fn add_row(&mut self, row: impl Into<Row>) {
        self.rows.push(row.into());
    }

    /// The table as text, without spaces at the ends of lines.
    pub(crate) fn trim_fmt(&self) -> String {
        self.fitted(width())
    }

    /// The table in this width. Columns go below the text, the last first, until it has room.
    fn fitted(&self, width: usize) -> String {
        let all = self.rows.iter().map(Row::cell_count).max().unwrap_or_default().max(self.headers.len());
        let mut beside: Vec<usize> = (0..all).collect();
        let whole = self.beside(&beside, None);
        let text = (0..all).filter(|&at| whole.wraps(at)).max_by_key(|&at| whole.widths[at]).unwrap_or_default();
        loop {
            let drawn = self.beside(&beside, Some(text));
            let at = beside.iter().position(|&column| column == text).unwrap_or_default();
            let last = beside.iter().rposition(|&column| column != text && self.may_leave(column));
            let Some(last) = last.filter(|_| drawn.needs(at) > width) else { return drawn.print(at, width) };
            beside.remove(last);
        }
    }

    /// Whether a column may go below the text: not ids and their numbers, which come first, or what has no name.
    fn may_leave(&self, column: usize) -> bool {
        let named = |column: usize| self.headers.get(column).is_some_and(|header| !header.is_empty());
        named(column) && (0..column).any(named)
    }

    /// The table with these columns; the others are lines of the text.
    fn beside(&self, columns: &[usize], text: Option<usize>) -> Drawn {
        let mut table = Table::new();
        table.load_style(STYLE).set_content_arrangement(ContentArrangement::Dynamic);
        if !self.headers.is_empty() {
            table.set_header(columns.iter().map(|&column| self.headers.get(column).map_or("", String::as_str)));
        }
        for row in &self.rows {
            let cell = |column: usize| row.cell_iter().nth(column).cloned().unwrap_or_else(|| Cell::new(""));
            table.add_row(columns.iter().map(|&column| {
                if Some(column) == text { self.with_rest(row, columns, cell(column)) } else { cell(column) }
            }));
        }
        let widths = table.column_max_content_widths().into_iter().map(usize::from).collect();
        Drawn { table, widths }
    }

    /// The text, and below it what the columns that are not shown say of it.
    fn with_rest(&self, row: &Row, columns: &[usize], text: Cell) -> Cell {
        let rest = row.cell_iter().zip(&self.headers).enumerate().filter(|(column, _)| !columns.contains(column));
        let said = rest.map(|(_, (cell, header))| (header, cell.content().replace('\n', ", ")));
        let said: Vec<_> =
            said.filter(|(_, said)| !said.is_empty()).map(|(header, said)| format!("{header} {said}")).collect();
        if said.is_empty() { text } else { Cell::new(format!("{}\n{}", text.content(), said.join(", "))) }
    }
}

/// A table whose columns have no widths yet.
struct Drawn {
    table: Table,
    /// The widths of the columns' contents.
    widths: Vec<usize>,
}

impl Drawn {
    /// Whether a column is wrapped if it is too wide. Whole ids are not, so that they can be copied.
    fn wraps(&self, column: usize) -> bool {
        let is_id = |cell: &Cell| Kind::of_whole(&cell.content()).is_some();
        self.widths[column] > SHORT && !self.table.column_cells_iter(column).flatten().any(is_id)
    }

    /// The width of everything but the contents of wrapped columns: a space on both sides, except at the end of a line.
    fn fixed(&self) -> usize {
        let contents = (0..self.widths.len()).filter(|&at| !self.wraps(at)).map(|at| self.widths[at]);
        contents.sum::<usize>() + (2 * self.widths.len()).saturating_sub(1)
    }

    /// The columns that are wrapped beside the text, the narrowest first.
    fn others(&self, text: usize) -> Vec<usize> {
        let mut others: Vec<usize> = (0..self.widths.len()).filter(|&at| at != text && self.wraps(at)).collect();
        others.sort_by_key(|&at| self.widths[at]);
        others
    }

    /// The least width in which the text has room.
    fn needs(&self, text: usize) -> usize {
        let text_needs = if self.wraps(text) { self.widths[text].min(TEXT) } else { 0 };
        let others = self.others(text).into_iter().map(|at| self.widths[at].min(LEAST)).sum::<usize>();
        self.fixed() + text_needs + others
    }

    /// Prints the table. The text gets at least half of the room, if it needs so much.
    fn print(mut self, text: usize, width: usize) -> String {
        let mut room = width.saturating_sub(self.fixed());
        let others = self.others(text);
        let reserved = if self.wraps(text) { self.widths[text].min(TEXT.max(room / 2)) } else { 0 };
        let mut rest = room.saturating_sub(reserved);
        for (done, &at) in others.iter().enumerate() {
            let given = self.widths[at].min((rest / (others.len() - done)).max(LEAST));
            rest = rest.saturating_sub(given);
            room = room.saturating_sub(given);
            self.widths[at] = given;
        }
        if self.wraps(text) {
            self.widths[text] = self.widths[text].min(room.max(LEAST));
        }
        let last = self.widths.len().saturating_sub(1);
        for (at, column) in self.table.column_iter_mut().enumerate() {
            let right = u16::from(at < last);
            column.set_padding((1, right));
            let content = u16::try_from(self.widths[at]).unwrap_or(u16::MAX);
            column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(content.saturating_add(1 + right))));
        }
        self.table.trim_fmt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTHS: [usize; 4] = [60, 80, 100, 200];
    const ID: &str = "mem_0190f1f0-0000-7000-8000-00000a123456";

    /// A table with a text of `n` one-letter words, so that its lines are full.
    fn found(n: usize) -> Rows {
        let mut rows = table(&["", "id", "score", "relevance", "when", "memory"]);
        rows.add_row(["1", "a1b2c3", "0.812", "0.640", "2026-11-28 21:07", "o ".repeat(n).trim_end()]);
        rows
    }

    fn longest(text: &str) -> usize {
        text.lines().map(|line| line.chars().count()).max().unwrap_or_default()
    }

    /// The words without the breaks of lines between them.
    fn unwrapped(shown: &str) -> String {
        shown.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Width of the widest line of the text.
    fn text_width(shown: &str) -> usize {
        shown.lines().filter_map(|line| Some(line.len() - line.find("o o")?)).max().unwrap_or_default()
    }

    #[test]
    fn a_table_fits_every_terminal_and_its_text_gets_most_of_it() {
        for (width, least) in WIDTHS.into_iter().zip([45, 45, 50, 150]) {
            let shown = found(120).fitted(width);
            assert!(longest(&shown) <= width, "{width}:\n{shown}");
            assert!(text_width(&shown) >= least, "{width}:\n{shown}");
            for cell in ["a1b2c3", "0.812", "0.640", "2026-11-28 21:07"] {
                assert!(unwrapped(&shown).contains(cell), "{width} lacks {cell}:\n{shown}");
            }
        }
        assert!(unwrapped(&found(120).fitted(60)).contains("score 0.812, relevance 0.640, when 2026-11-28 21:07"));
        let short = found(10).fitted(80);
        assert_eq!(short.lines().count(), 3, "what fits stays beside the text:\n{short}");
    }

    #[test]
    fn several_long_columns_share_what_the_text_leaves() {
        let mut rows = table(&["id", "goal", "status", "tags"]);
        rows.add_row(["a1b2c3", "o ".repeat(60).trim_end(), "active", &"travel, ".repeat(12)]);
        for width in WIDTHS {
            let shown = rows.fitted(width);
            assert!(longest(&shown) <= width && text_width(&shown) >= 45, "{width}:\n{shown}");
        }
    }

    #[test]
    fn whole_ids_are_not_broken_and_a_table_of_nothing_is_a_header() {
        let mut rows = table(&["id", "memory", "score"]);
        rows.add_row([ID, "o ".repeat(40).trim_end(), "0.5"]);
        assert!(rows.fitted(60).contains(ID));
        assert!(table(&["id", "memory"]).fitted(60).starts_with(" id"));
        let mut facts = table(&[]);
        facts.add_row(["origin", "o ".repeat(120).trim_end()]);
        assert!(longest(&facts.fitted(60)) <= 60);
    }
}
