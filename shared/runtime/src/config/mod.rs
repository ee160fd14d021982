//! The configuration: built-in defaults, then a TOML file, then `KIMBERLY_*` variables; later ones win.
//!
//! Each section has its own file. An unknown key is an error that lists the valid ones. Every section checks its own
//! bounds, and all problems are reported at once. `deploy/kimberly.sample.toml` shows every key with its default.

mod alerts;
mod api;
mod attachments;
mod audit;
mod auth;
mod compacting;
mod consent;
mod data_folder;
mod defaults;
mod embedder;
mod embedding;
mod encryption;
mod env;
mod extraction;
mod human;
mod jwt;
mod keys;
mod language_model;
mod layers;
mod limits;
mod loopback;
mod meditation;
mod postgres;
mod problems;
mod quotas;
mod reach;
mod reading;
mod recall;
mod rerank;
mod retention;
mod scoring;
mod telemetry;
mod tls;
mod variable;
mod vaults;
mod weights;
mod worker;
mod working;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use kimberly_core::settings::ServerDefaults;
use serde::{Deserialize, Serialize};

use self::layers::Layers;

pub use alerts::AlertsConfig;
pub use api::{ApiConfig, MEMORY_PER_REQUEST_BYTE};
pub use attachments::AttachmentsConfig;
pub use audit::AuditConfig;
pub use auth::{AuthConfig, AuthMode};
pub use compacting::CompactingConfig;
pub use consent::ConsentConfig;
pub use embedder::{EmbedderConfig, EmbeddingPrecision};
pub use embedding::EmbeddingConfig;
pub use encryption::EncryptionConfig;
pub use env::Environment;
pub use extraction::{ExtractionConfig, Secrets};
pub use human::{Bytes, Period};
pub use jwt::JwtConfig;
pub use keys::KeysConfig;
pub use language_model::LanguageModelConfig;
pub use limits::LimitsConfig;
pub use meditation::{MeditationConfig, StepConfig};
pub use postgres::PostgresConfig;
pub use problems::Problems;
pub use quotas::QuotasConfig;
pub use recall::RecallConfig;
pub use rerank::RerankConfig;
pub use retention::RetentionConfig;
pub use scoring::ScoringConfig;
pub use telemetry::{LogFormat, TelemetryConfig};
pub use tls::{ClientAuth, TlsConfig};
pub use vaults::VaultsConfig;
pub use worker::WorkerConfig;
pub use working::WorkingConfig;

/// The file that is read if it exists and no other is named.
pub const DEFAULT_FILE: &str = "kimberly.toml";

/// The complete configuration, the same for all processes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Folder for all data; created with mode 0700 if missing. A relative path starts at the process's working
    /// directory. Unset: the platform's folder, `$XDG_DATA_HOME/kimberly`, else `~/.local/share/kimberly`, else `data`.
    pub data_dir: PathBuf,
    /// The api process, which serves callers.
    pub api: ApiConfig,
    /// Authentication of callers.
    pub auth: AuthConfig,
    /// TLS for callers' connections.
    pub tls: TlsConfig,
    /// Where the account's secrets are stored.
    pub keys: KeysConfig,
    /// Encryption of the data folder.
    pub encryption: EncryptionConfig,
    /// The worker process, which meditates.
    pub worker: WorkerConfig,
    /// The embedder process, which runs the embedding model.
    pub embedder: EmbedderConfig,
    /// Recall: its stages, and how vectors contribute.
    pub recall: RecallConfig,
    /// A cross-encoder that reorders results of recall.
    pub rerank: RerankConfig,
    /// Limits on embeddings, per user and in total.
    pub embedding: EmbeddingConfig,
    /// Open vaults and their cache.
    pub vaults: VaultsConfig,
    /// The database that replaces the data folder.
    pub postgres: PostgresConfig,
    /// Extraction from conversations.
    pub extraction: ExtractionConfig,
    /// When the oldest turns of a session are summarized.
    pub compacting: CompactingConfig,
    /// A model that helps to read conversations.
    pub language_model: LanguageModelConfig,
    /// Working memory.
    pub working: WorkingConfig,
    /// Quotas per user.
    pub quotas: QuotasConfig,
    /// Attachments per user.
    pub attachments: AttachmentsConfig,
    /// Retention of memories per user.
    pub retention: RetentionConfig,
    /// The steps of meditation.
    pub meditation: MeditationConfig,
    /// Retention and checkpoints of the audit.
    pub audit: AuditConfig,
    /// Consent per user.
    pub consent: ConsentConfig,
    /// Sources of scoring weights.
    pub scoring: ScoringConfig,
    /// Alerts for operators.
    pub alerts: AlertsConfig,
    /// Logs, metrics and traces.
    pub telemetry: TelemetryConfig,
    /// Bounds on work.
    pub limits: LimitsConfig,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            data_dir: PathBuf::from("data"),
            api: ApiConfig::default(),
            auth: AuthConfig::default(),
            tls: TlsConfig::default(),
            keys: KeysConfig::default(),
            encryption: EncryptionConfig::default(),
            worker: WorkerConfig::default(),
            embedder: EmbedderConfig::default(),
            recall: RecallConfig::default(),
            rerank: RerankConfig::default(),
            embedding: EmbeddingConfig::default(),
            vaults: VaultsConfig::default(),
            postgres: PostgresConfig::default(),
            extraction: ExtractionConfig::default(),
            compacting: CompactingConfig::default(),
            language_model: LanguageModelConfig::default(),
            working: WorkingConfig::default(),
            quotas: QuotasConfig::default(),
            attachments: AttachmentsConfig::default(),
            retention: RetentionConfig::default(),
            meditation: MeditationConfig::default(),
            audit: AuditConfig::default(),
            consent: ConsentConfig::default(),
            scoring: ScoringConfig::default(),
            alerts: AlertsConfig::default(),
            telemetry: TelemetryConfig::default(),
            limits: LimitsConfig::default(),
        }
    }
}

/// A loaded configuration.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The configuration.
    pub config: Config,
    /// The file it was read from, if any.
    pub file: Option<PathBuf>,
    /// Defaults for users without settings, each value with its origin.
    pub defaults: ServerDefaults,
    /// A message about a data folder that was chosen because none was named, if operators should know.
    pub data_folder_note: Option<String>,
}

impl Loaded {
    /// Ignored weights, with the reasons; for the log, the metrics and users' settings.
    pub fn warnings(&self) -> Vec<String> {
        let levels = self.defaults.weight_levels.iter();
        levels.filter_map(|level| Some(level.origin.passed_over(level.choice.as_ref().err()?))).collect()
    }
}

impl Config {
    /// Loads this process's configuration from `file` (`--config`), else `KIMBERLY_CONFIG`, else `kimberly.toml` in the
    /// current folder if it exists; then applies the environment.
    pub fn load(file: Option<&Path>, env: &Environment) -> Result<Loaded, Problems> {
        let file = chosen_file(file, env)?;
        let layers = Layers::read(file.clone(), env)?;
        let mut config: Self = layers.extract()?;
        let mut data_folder_note = None;
        if !layers.contains("data_dir") {
            (config.data_dir, data_folder_note) = data_folder::chosen(env);
        }
        config.check()?;
        let defaults = defaults::server_defaults(&config, &layers, env);
        Ok(Loaded { config, file, defaults, data_folder_note })
    }

    /// Checks every bound; returns all problems at once.
    pub fn check(&self) -> Result<(), Problems> {
        let mut problems = Problems::default();
        if self.data_dir.as_os_str().is_empty() {
            problems.add("data_dir is empty; name a folder, such as data");
        }
        self.api.check(&mut problems);
        self.auth.check(&mut problems);
        self.tls.check(&mut problems);
        if let Some(problem) = self.reach_problem(self.api.listen) {
            problems.add(problem);
        }
        self.keys.check(&mut problems);
        self.worker.check(&mut problems);
        self.embedder.check(&mut problems);
        self.recall.check(&mut problems);
        self.rerank.check(&mut problems);
        self.embedding.check(&mut problems);
        self.vaults.check(&mut problems);
        self.compacting.check(&mut problems);
        self.language_model.check(&mut problems);
        self.working.check(&mut problems);
        self.postgres.check(&mut problems);
        self.quotas.check(&mut problems);
        self.attachments.check(&mut problems);
        self.retention.check(&mut problems);
        self.meditation.check(&mut problems);
        self.audit.check(&self.data_dir, &mut problems);
        self.alerts.check(&mut problems);
        self.telemetry.check(&mut problems);
        self.limits.check(&mut problems);
        self.check_room(&mut problems);
        problems.into_result()
    }

    /// One user's reads and writes must leave room for requests of others.
    fn check_room(&self, problems: &mut Problems) {
        let (room, of_user) = (self.api.max_concurrent_requests, self.limits.max_calls_per_user);
        if room <= of_user.saturating_mul(2) {
            problems.add(format!(
                "api.max_concurrent_requests is {room}, but one user may run {of_user} reads and {of_user} writes; set it above \
                 {}, or lower limits.max_calls_per_user",
                of_user.saturating_mul(2)
            ));
        }
    }
}

fn chosen_file(named: Option<&Path>, env: &Environment) -> Result<Option<PathBuf>, Problems> {
    let named = named.map(Path::to_owned).or_else(|| env.get("KIMBERLY_CONFIG").map(PathBuf::from));
    match named {
        Some(path) if path.is_file() => Ok(Some(path)),
        Some(path) => Err(Problems::one(format!(
            "there is no configuration file {}; name one that exists, or name none to use the defaults",
            path.display()
        ))),
        None => Ok(Some(PathBuf::from(DEFAULT_FILE)).filter(|path| path.is_file())),
    }
}
