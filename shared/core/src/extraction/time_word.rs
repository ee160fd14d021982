//! Words with a meaning for times.

/// The meaning of a word for times; `words/en.txt` describes the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimeWord {
    /// A day, as an offset from the message's day.
    Day(i32),
    /// A unit.
    Unit(Unit),
    /// A month, 1-12.
    Month(i8),
    /// A day of the week, 1 for Monday.
    Weekday(i8),
    /// A number of units to add: "last" is -1.
    Shift(i32),
    /// A small number.
    Number(i32),
    /// After a span: it lies in the past.
    Ago,
    /// Before a span: it lies in the past.
    Before,
    /// Before a span: it lies in the future. Before a month or year: at that time.
    In,
    /// The statement holds from then on.
    Since,
    /// The statement holds until then.
    Until,
}

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Day,
    Week,
    Month,
    Year,
    /// Saturday and Sunday.
    Weekend,
}
