//! Types of objects.

/// Types of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// The name of a place.
    Place,
    /// Another name.
    Name,
    /// A number of years, as of the time it was said.
    Number,
    /// A year.
    Year,
    /// A day.
    Date,
    /// Anything else.
    Text,
}

impl Sort {
    /// Returns the type with this name in data files.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        match name {
            "place" => Some(Self::Place),
            "name" => Some(Self::Name),
            "number" => Some(Self::Number),
            "year" => Some(Self::Year),
            "date" => Some(Self::Date),
            "text" => Some(Self::Text),
            _ => None,
        }
    }
}
