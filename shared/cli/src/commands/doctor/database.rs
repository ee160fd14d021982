//! The configured database, if any. The processes that use it report whether it is reachable, what it lacks and how
//! much waits there.

use kimberly_core::database::{PostgresDatabase, PostgresUrl, Server};
use kimberly_runtime::Config;

use super::Finding;

/// Checks `[postgres]`; returns nothing if the data folder is used.
pub(super) fn check(config: &Config) -> Vec<Finding> {
    let Some(database) = config.postgres.database() else { return Vec::new() };
    let mut findings = vec![Finding::ok("database", shown(&database))];
    if database.owner_url.is_none() {
        findings.push(Finding::warn(
            "database roles",
            "postgres.owner_url is not set: the processes own their tables and could turn off row-level security, the \
             second barrier between users; docs/postgres.md says how to create two roles",
        ));
    }
    let addresses = std::iter::once(&database.url).chain(&database.owner_url);
    findings.extend(addresses.filter_map(lacking_proof).take(1));
    if config.attachments.s3.endpoint.is_empty() {
        findings.push(Finding::warn(
            "attachments",
            "they are in this machine's data folder only; with several machines, configure a shared store in \
             [attachments.s3]",
        ));
    }
    findings
}

/// Describes the database without the role.
pub(crate) fn shown(database: &PostgresDatabase) -> String {
    format!("Postgres at {}, schema {}", servers(&database.url), database.schema)
}

/// The addresses of the servers.
fn servers(url: &PostgresUrl) -> String {
    let Ok(address) = url.address() else { return url.to_string() };
    let names: Vec<String> = address.servers.iter().map(Server::to_string).collect();
    names.join(", ")
}

/// Warns if the connection is encrypted but the server is not authenticated.
fn lacking_proof(url: &PostgresUrl) -> Option<Finding> {
    let address = url.address().ok()?;
    let mode = address.parameter("sslmode")?;
    matches!(mode, "allow" | "prefer" | "require" | "verify-ca").then(|| {
        let told = format!("sslmode={mode} does not authenticate {}; sslmode=verify-full does", servers(url));
        Finding::warn("database network", told)
    })
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    fn levels(change: impl FnOnce(&mut Config)) -> Vec<Level> {
        let mut config = Config::default();
        change(&mut config);
        check(&config).iter().map(|finding| finding.level).collect()
    }

    #[test]
    fn weaknesses_of_a_database_are_reported_without_passwords() {
        assert_eq!(levels(|_| ()), []);
        let url = |text: &str| Some(PostgresUrl::new(text));
        let all = [Level::Ok, Level::Warn, Level::Warn, Level::Warn];
        assert_eq!(levels(|config| config.postgres.url = url("postgres://ada:secret@db/k?sslmode=require")), all);
        let fine = levels(|config| {
            config.postgres.url = url("postgres://ada:secret@db/k?sslmode=verify-full");
            config.postgres.owner_url = url("postgres:///k?host=/run/postgresql");
        });
        assert_eq!(fine, [Level::Ok, Level::Warn], "attachments alone");
        let mut config = Config::default();
        config.postgres.url = url("postgres://ada:secret@db.example.com,two:5433/k?sslmode=prefer");
        let lines: Vec<String> = check(&config).iter().map(|finding| finding.to_line(false)).collect();
        assert!(
            lines[0].contains("db.example.com, two:5433") && lines.iter().all(|line| !line.contains("secret")),
            "{lines:?}"
        );
    }
}
