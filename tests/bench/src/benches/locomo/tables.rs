//! The figures: by part of the data set and by category.

use super::Answered;
use super::import::Unit;
use super::measure::{Measures, NAMES};
use crate::report::{Report, Table, say};

/// Parts of the data set by name: Kimberly was tuned on 1-5 only, so that 6-10 show what it does on new data.
const PARTS: [(&str, std::ops::Range<usize>); 3] = [("all", 0..10), ("conv1_5", 0..5), ("conv6_10", 5..10)];
const CATEGORIES: [&str; 5] = ["1 multi-hop", "2 temporal", "3 open-domain", "4 single-hop", "5 adversarial"];

/// Prints the tables of a unit and keeps its figures as `<unit>.lexical.<part>[.category.<n>].<measure>`.
pub(crate) fn show(unit: Unit, all: &[Answered], report: &mut Report) {
    let mut table = Table::new(&[unit.name(), "questions", "R@5", "R@10", "R@20", "NDCG@10", "MRR"]);
    for (part, conversations) in PARTS {
        let within: Vec<&Answered> = all.iter().filter(|one| conversations.contains(&one.conversation)).collect();
        let name = format!("{}.lexical.{part}", unit.name());
        line(&mut table, part, &name, &within, report);
        for (index, category) in CATEGORIES.iter().enumerate() {
            let of_category: Vec<&Answered> = within.iter().filter(|one| one.category == index + 1).copied().collect();
            line(&mut table, &format!("  {category}"), &format!("{name}.category.{}", index + 1), &of_category, report);
        }
    }
    say(&format!("\n{}", table.text()));
}

fn line(table: &mut Table, title: &str, name: &str, answered: &[&Answered], report: &mut Report) {
    let measures: Vec<Measures> = answered.iter().map(|one| one.measures).collect();
    let mean = Measures::mean(&measures);
    let cells = mean.values.iter().map(|value| format!("{value:.4}"));
    table.row([title.to_owned(), answered.len().to_string()].into_iter().chain(cells));
    for (measure, value) in NAMES.iter().zip(mean.values) {
        report.set(format!("{name}.{measure}"), value);
    }
}
