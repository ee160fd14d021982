//! The measurements side by side: ratios, and a table for `docs/sizing.md`.

use std::collections::BTreeMap;

use super::lanes::{Call, ON_POSTGRES, ON_SQLITE};
use crate::figures::{Aim, Figures};
use crate::report::say;

/// Users, call, backend, apis, clients.
pub(super) type Key = (usize, Call, &'static str, usize, usize);

/// Calls per second, median, 99th percentile, and processor time of apis and of Postgres per call, in milliseconds.
#[derive(Default)]
pub(super) struct Sheet(BTreeMap<Key, [f64; 5]>);

impl Sheet {
    /// Records figures.
    pub(super) fn put(&mut self, key: Key, numbers: [f64; 5]) {
        self.0.insert(key, numbers);
    }

    /// Postgres compared with SQLite, and several apis with one.
    pub(super) fn beside(&self, users: usize, call: Call, figures: &mut Figures<'_>) {
        for (apis, clients) in ON_POSTGRES {
            let Some(ours) = self.0.get(&(users, call, "postgres", apis, clients)) else { continue };
            let name = format!("scale.users{users}.{}.postgres{apis}.c{clients}", call.name());
            if let Some(files) = self.0.get(&(users, call, "sqlite", 1, clients)) {
                let aim = match call {
                    Call::Write => Aim::AtMost(3.0),
                    Call::Recall | Call::Active => Aim::AtMost(2.0),
                };
                let aim = if (apis, clients) == (1, 1) { aim } else { Aim::Open };
                figures.add(&format!("{name}.p50_ratio_to_sqlite"), ours[1] / files[1], aim);
                figures.add(&format!("{name}.rate_ratio_to_sqlite"), ours[0] / files[0], Aim::Open);
            }
            if let Some(one) = self.0.get(&(users, call, "postgres", 1, clients)).filter(|_| apis > 1) {
                figures.add(&format!("{name}.rate_ratio_to_one_api"), ours[0] / one[0], Aim::Open);
            }
        }
    }

    /// Many users compared with few, by one client.
    pub(super) fn flatness(&self, few: usize, many: usize, figures: &mut Figures<'_>) {
        for call in Call::ALL {
            for backend in ["sqlite", "postgres"] {
                let p50 = |users| self.0.get(&(users, call, backend, 1, 1)).map_or(f64::NAN, |numbers| numbers[1]);
                let name = format!("scale.{}.{backend}1.c1.flatness_{few}_to_{many}", call.name());
                figures.add(&name, p50(many) / p50(few), Aim::Open);
            }
        }
    }

    /// Prints the table.
    pub(super) fn print(&self, users: [usize; 2], memories: usize) {
        let mut lines = vec![
            format!("\nTo be pasted (memories of each user: {memories}; one machine for all):\n"),
            "| call | users | on | apis | clients | a second | p50 ms | p99 ms | api ms | Postgres ms |".to_owned(),
            "|---|---|---|---|---|---|---|---|---|---|".to_owned(),
        ];
        for call in Call::ALL {
            for users in users {
                let on = |backend, lanes: &[(usize, usize)]| -> Vec<String> {
                    lanes
                        .iter()
                        .filter_map(|&(apis, clients)| self.line((users, call, backend, apis, clients)))
                        .collect()
                };
                lines.extend(on("sqlite", &ON_SQLITE));
                lines.extend(on("postgres", &ON_POSTGRES));
            }
        }
        say(&lines.join("\n"));
    }

    fn line(&self, key: Key) -> Option<String> {
        let [per_second, p50, p99, api, postgres] = self.0.get(&key)?;
        let (users, call, backend, apis, clients) = key;
        let (call, on) = (call.name(), if backend == "sqlite" { "SQLite" } else { "Postgres" });
        let postgres = if backend == "sqlite" { String::new() } else { format!("{postgres:.1}") };
        Some(format!(
            "| {call} | {users} | {on} | {apis} | {clients} | {per_second:.0} | {p50:.1} | {p99:.1} | {api:.1} | {postgres} |"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Report;

    #[test]
    fn what_stands_side_by_side_is_compared() {
        let mut sheet = Sheet::default();
        sheet.put((10, Call::Recall, "sqlite", 1, 8), [100.0, 2.0, 4.0, 1.0, 0.0]);
        sheet.put((10, Call::Recall, "postgres", 1, 8), [50.0, 6.0, 9.0, 1.5, 2.0]);
        sheet.put((10, Call::Recall, "postgres", 2, 8), [75.0, 4.0, 9.0, 1.5, 2.0]);
        let mut report = Report::new("some").unwrap();
        sheet.beside(10, Call::Recall, &mut Figures::new(&mut report, "some"));
        let json = serde_json::to_value(&report).unwrap();
        let of = |name: &str| json["metrics"][format!("scale.users10.recall.{name}")].as_f64();
        assert_eq!(of("postgres1.c8.p50_ratio_to_sqlite"), Some(3.0));
        assert_eq!(of("postgres2.c8.rate_ratio_to_one_api"), Some(1.5));
        assert_eq!(of("postgres1.c8.rate_ratio_to_one_api"), None);
        let line = sheet.line((10, Call::Recall, "postgres", 2, 8)).unwrap();
        assert_eq!(line, "| recall | 10 | Postgres | 2 | 8 | 75 | 4.0 | 9.0 | 1.5 | 2.0 |");
    }
}
