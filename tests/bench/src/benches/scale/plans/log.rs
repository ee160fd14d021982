//! Reads plans from a server's log.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use crate::Result;

/// How many consecutive reads must find nothing new, and the pause between them.
const RESTS: usize = 3;
const REST: Duration = Duration::from_millis(25);

/// One execution of a statement.
#[derive(Debug, PartialEq)]
pub(super) struct Plan {
    /// The statement.
    pub(super) sql: String,
    /// Pages accessed, in memory or read from disk.
    pub(super) pages: u64,
    /// Rows read from tables, whether used or filtered out.
    pub(super) rows: u64,
    /// The access paths to tables.
    pub(super) scans: BTreeSet<String>,
    /// Tables scanned sequentially.
    pub(super) gone_through: BTreeSet<String>,
}

/// A server's log, with the position read so far.
pub(super) struct Log {
    path: PathBuf,
    from: u64,
}

impl Log {
    /// Starts at the end of the log.
    pub(super) fn at_the_end(path: PathBuf) -> Result<Self> {
        let from = std::fs::metadata(&path)?.len();
        Ok(Self { path, from })
    }

    /// The plans logged since, once nothing new arrives: a call's last statement is logged after its response.
    pub(super) async fn plans_until_it_rests(&mut self) -> Result<Vec<Plan>> {
        let (mut length, mut rested) = (0, 0);
        while rested < RESTS {
            tokio::time::sleep(REST).await;
            let now = std::fs::metadata(&self.path)?.len();
            rested = if now == length { rested + 1 } else { 0 };
            length = now;
        }
        self.plans()
    }

    /// The plans logged since.
    fn plans(&mut self) -> Result<Vec<Plan>> {
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(self.from))?;
        let mut logged = Vec::new();
        file.read_to_end(&mut logged)?;
        self.from += logged.len() as u64;
        plans_in(&String::from_utf8_lossy(&logged))
    }
}

/// All messages with a plan: their continuation lines start with a tab.
fn plans_in(log: &str) -> Result<Vec<Plan>> {
    let (mut plans, mut open) = (Vec::new(), None::<String>);
    for line in log.lines().chain([""]) {
        if let (Some(text), Some(rest)) = (open.as_mut(), line.strip_prefix('\t')) {
            text.push_str(rest);
            continue;
        }
        if let Some(text) = open.take() {
            plans.push(plan(&serde_json::from_str(&text)?));
        }
        if line.contains("LOG:  duration: ") && line.ends_with("plan:") {
            open = Some(String::new());
        }
    }
    Ok(plans)
}

fn plan(explained: &Value) -> Plan {
    let sql = explained["Query Text"].as_str().unwrap_or_default().to_owned();
    let top = &explained["Plan"];
    let pages = number(top, "Shared Hit Blocks") + number(top, "Shared Read Blocks");
    let mut plan = Plan { sql, pages, rows: 0, scans: BTreeSet::new(), gone_through: BTreeSet::new() };
    walk(top, &mut plan);
    plan
}

fn walk(node: &Value, plan: &mut Plan) {
    let text = |key: &str| node[key].as_str();
    let (kind, relation, index) = (text("Node Type").unwrap_or_default(), text("Relation Name"), text("Index Name"));
    if kind.contains("Scan") {
        if let Some(name) = index.or(relation) {
            plan.scans.insert(format!("{kind} {name}"));
        }
        if let Some(relation) = relation {
            let each = number(node, "Actual Rows")
                + number(node, "Rows Removed by Filter")
                + number(node, "Rows Removed by Index Recheck");
            plan.rows += each * number(node, "Actual Loops");
            if kind == "Seq Scan" {
                plan.gone_through.insert(relation.to_owned());
            }
        }
    }
    for child in node["Plans"].as_array().into_iter().flatten() {
        walk(child, plan);
    }
}

/// A whole number; newer versions report mean rows with a fraction.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts")]
fn number(node: &Value, key: &str) -> u64 {
    node[key].as_f64().unwrap_or(0.0).max(0.0).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLD: &str = "2026-11-22 14:00:00.000 UTC [7] LOG:  duration: 0.031 ms  plan:\n\
        \t{\n\t  \"Query Text\": \"SELECT 1 \\n FROM a\",\n\t  \"Plan\": {\n\t    \"Node Type\": \"Nested Loop\",\n\
        \t    \"Shared Hit Blocks\": 5,\n\t    \"Shared Read Blocks\": 2,\n\t    \"Plans\": [\n\
        \t      {\"Node Type\": \"Index Scan\", \"Index Name\": \"a_pkey\", \"Relation Name\": \"a\", \"Actual Rows\": 3, \"Actual Loops\": 2,\n\
        \t       \"Rows Removed by Filter\": 1},\n\
        \t      {\"Node Type\": \"Seq Scan\", \"Relation Name\": \"b\", \"Actual Rows\": 4, \"Actual Loops\": 1}\n\
        \t    ]\n\t  }\n\t}\n\
        2026-11-22 14:00:00.001 UTC [7] LOG:  checkpoint starting: time\n";

    #[test]
    fn pages_rows_and_ways_are_read_from_what_a_server_tells() {
        let plans = plans_in(TOLD).unwrap();
        let set = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<BTreeSet<_>>();
        let wanted = Plan {
            sql: "SELECT 1 \n FROM a".to_owned(),
            pages: 7,
            rows: 12,
            scans: set(&["Index Scan a_pkey", "Seq Scan b"]),
            gone_through: set(&["b"]),
        };
        assert_eq!(plans, [wanted]);
        assert_eq!(plans_in(&TOLD.repeat(3)).unwrap().len(), 3);
        assert!(plans_in("2026 LOG:  checkpoint starting: time\n").unwrap().is_empty());
    }
}
