//! The source and target of a migration: the command line's plan, completed from the configuration.

use std::path::PathBuf;

use kimberly_core::database::PostgresUrl;
use kimberly_crypto::Keys;
use kimberly_runtime::Config;
use kimberly_runtime::config::Environment;
use kimberly_store::PgOptions;
use kimberly_store::moving::End;
use serde::Deserialize;

use crate::trouble::Trouble;

/// The plan of the command line.
#[derive(Deserialize)]
pub(crate) struct Plan {
    /// The configuration file, if one was named.
    config: Option<PathBuf>,
    /// The source: a data folder, or the URL of a database.
    from: String,
    /// The target: a database if the source is a data folder, and the reverse.
    to: String,
    /// The URL of the database's owner, for creating tables, if it differs.
    owner_url: Option<PostgresUrl>,
    /// Whether to wait until no process uses the source.
    pub(crate) follow: bool,
}

/// Source and target.
pub(crate) struct Ends {
    pub(crate) from: End,
    pub(crate) to: End,
    /// Whether attachments are in an object store.
    pub(crate) objects: bool,
    shown: (String, String),
}

impl Ends {
    /// Returns the names of both, without secrets.
    pub(crate) fn shown(&self) -> (String, String) {
        self.shown.clone()
    }
}

/// Reports whether the text is the URL of a database.
fn is_database(text: &str) -> bool {
    PostgresUrl::new(text).is_meant()
}

impl Plan {
    /// Parses a line of JSON.
    pub(crate) fn read(line: &str) -> Result<Self, Trouble> {
        // The error does not quote the line, which may contain a URL with a password.
        let plan: Self = serde_json::from_str(line).map_err(|_| {
            Trouble::Usage("the plan on stdin cannot be parsed; `kimberly migrate` writes it".to_owned())
        })?;
        if is_database(&plan.from) == is_database(&plan.to) {
            return Err(Trouble::Usage(
                "one of --from and --to is a data folder, and the other one an address of Postgres, postgres://…"
                    .to_owned(),
            ));
        }
        Ok(plan)
    }

    /// Resolves source and target. Takes everything else from the configuration.
    pub(crate) fn ends(&self) -> Result<Ends, Trouble> {
        let usage = |problems: kimberly_runtime::config::Problems| Trouble::Usage(problems.to_string());
        let mut config = Config::load(self.config.as_deref(), &Environment::of_process()).map_err(usage)?.config;
        let (folder, url) = if is_database(&self.to) { (&self.from, &self.to) } else { (&self.to, &self.from) };
        config.data_dir = PathBuf::from(folder);
        config.postgres.url = Some(PostgresUrl::new(url.clone()));
        if self.owner_url.is_some() {
            config.postgres.owner_url.clone_from(&self.owner_url);
        }
        config.check().map_err(usage)?;
        let Some(postgres) = config.postgres.database() else {
            return Err(Trouble::Usage("no database is configured".to_owned()));
        };
        let sources = config.encryption.enabled.then(|| config.keys.sources());
        let files = End::folder(config.data_dir.clone(), sources);
        let database = End::Database(Box::new(PgOptions::at(&postgres, Keys::off())));
        let (from, to) = if is_database(&self.to) { (files, database) } else { (database, files) };
        let shown = |text: &str| {
            if is_database(text) { PostgresUrl::new(text).to_string() } else { text.to_owned() }
        };
        let objects = !config.attachments.s3.endpoint.is_empty();
        Ok(Ends { from, to, objects, shown: (shown(&self.from), shown(&self.to)) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_and_a_database_are_asked_for_and_nothing_is_quoted() {
        let read = |from: &str, to: &str| {
            Plan::read(&format!(
                r#"{{"config": null, "from": "{from}", "to": "{to}", "owner_url": null, "follow": false}}"#
            ))
        };
        assert!(read("data", "postgres://ada:secret@localhost/k").is_ok());
        assert!(read("postgresql:///k", "data").is_ok());
        assert!(read("data", "host=a,b dbname=k password=secret").is_ok());
        for (from, to) in [("data", "other"), ("postgres://a/b", "postgres://c/d")] {
            assert!(
                matches!(read(from, to), Err(Trouble::Usage(refused)) if refused.contains("--from")),
                "{from} {to}"
            );
        }
        let result = Plan::read("{\"from\": \"postgres://ada:secret@x/y\"");
        assert!(matches!(result, Err(Trouble::Usage(refused)) if !refused.contains("secret")));
    }
}
