//! Figures and their aims, in a table and in the report.

use crate::report::{Report, Table, say};

/// The aim of a figure.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Aim {
    /// This much or less.
    AtMost(f64),
    /// This much or more.
    AtLeast(f64),
    /// None: the figure is for comparison.
    Open,
}

/// Collects the figures of one table.
pub(crate) struct Figures<'r> {
    report: &'r mut Report,
    table: Table,
}

impl<'r> Figures<'r> {
    /// An empty table; its figures go into the report under their names.
    pub(crate) fn new(report: &'r mut Report, title: &str) -> Self {
        Self { report, table: Table::new(&[title, "measured", "aim", ""]) }
    }

    /// Adds a figure.
    pub(crate) fn add(&mut self, name: &str, value: f64, aim: Aim) {
        let (wanted, met) = match aim {
            Aim::AtMost(bound) => (format!("<= {}", shown(bound)), Some(value <= bound)),
            Aim::AtLeast(bound) => (format!(">= {}", shown(bound)), Some(value >= bound)),
            Aim::Open => (String::new(), None),
        };
        let verdict = met.map_or("", |met| if met { "met" } else { "missed" });
        let row = [name.to_owned(), shown(value), wanted, verdict.to_owned()];
        if met.is_some() {
            self.report.judge(row.clone());
        }
        self.table.row(row);
        // JSON has no NaN: a missing figure is omitted.
        if value.is_finite() {
            self.report.set(name, value);
        }
    }

    /// Prints the table.
    pub(crate) fn print(self) {
        say(&format!("\n{}", self.table.text()));
    }
}

/// A number with about four significant digits.
fn shown(value: f64) -> String {
    match value.abs() {
        size if !size.is_finite() => "-".to_owned(),
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_say_whether_their_aim_is_met_and_reach_the_report() {
        let mut report = Report::new("some").unwrap();
        let mut figures = Figures::new(&mut report, "some");
        figures.add("fast_ms", 0.5, Aim::AtMost(1.0));
        figures.add("slow.per_second", 1_000.0, Aim::AtLeast(20_000.0));
        figures.add("nothing", f64::NAN, Aim::Open);
        let text = figures.table.text();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[1].contains("0.500") && lines[1].ends_with("met"), "{text}");
        assert!(lines[2].contains(">= 20000") && lines[2].ends_with("missed"), "{text}");
        let judged = report.judged().text();
        assert!(judged.contains("fast_ms") && judged.contains("missed") && !judged.contains("nothing"), "{judged}");
        let json = serde_json::to_value(&report).unwrap();
        assert_eq!(json["metrics"].as_object().unwrap().len(), 2);
    }
}
