//! Tables by part of the data set and by category.

use super::Answered;
use super::import::Unit;
use super::measure::{Measures, NAMES};
use super::ways::Way;
use crate::report::{Report, Table, say};

/// Parts of the data set: Kimberly was tuned on 1-5 only, so 6-10 show its quality on new data.
const PARTS: [(&str, std::ops::Range<usize>); 3] = [("all", 0..10), ("conv1_5", 0..5), ("conv6_10", 5..10)];
const CATEGORIES: [&str; 5] = ["1 multi-hop", "2 temporal", "3 open-domain", "4 single-hop", "5 adversarial"];

/// Prints the tables of a unit and records its figures as `<unit>.lexical.<part>[.category.<n>].<measure>`.
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

/// Prints the retrieval methods side by side and records their figures as
/// `<unit>.<way>.<part>[.category.<n>].<measure>`.
pub(crate) fn beside(unit: Unit, ways: &[(Way, &[Answered])], report: &mut Report) {
    for shown in ["r_at_10", "ndcg_at_10"] {
        let names = ways.iter().map(|(way, _)| way.name());
        let headings: Vec<String> = [format!("{}, {shown}", unit.name()), "questions".to_owned()]
            .into_iter()
            .chain(names.map(str::to_owned))
            .collect();
        let mut table = Table::new(&headings.iter().map(String::as_str).collect::<Vec<_>>());
        for (part, conversations) in PARTS {
            let rows = std::iter::once((part.to_owned(), None))
                .chain((1..).zip(CATEGORIES).map(|(number, title)| (format!("  {title}"), Some(number))));
            for (title, category) in rows {
                let of_row = |one: &&Answered| {
                    conversations.contains(&one.conversation) && category.is_none_or(|number| one.category == number)
                };
                let suffix = category.map(|number: usize| format!(".category.{number}")).unwrap_or_default();
                let (mut count, mut cells) = (0, Vec::new());
                for (way, answered) in ways {
                    let measures: Vec<Measures> = answered.iter().filter(of_row).map(|one| one.measures).collect();
                    count = measures.len();
                    for (measure, value) in NAMES.iter().zip(Measures::mean(&measures).values) {
                        report.set(format!("{}.{}.{part}{suffix}.{measure}", unit.name(), way.name()), value);
                        if *measure == shown {
                            cells.push(format!("{value:.4}"));
                        }
                    }
                }
                table.row([title, count.to_string()].into_iter().chain(cells));
            }
        }
        say(&format!("\n{}", table.text()));
    }
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
