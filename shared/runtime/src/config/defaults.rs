//! Defaults for users without settings of their own, each value with its origin.

use kimberly_core::memory::DraftLimits;
use kimberly_core::settings::{EmbeddingDefaults, Origin, ServerDefaults};

use super::layers::Layers;
use super::{Config, Environment, weights};

/// Extracts the users' defaults from the configuration; values that the operator set have the origin `Config`.
pub(super) fn server_defaults(config: &Config, layers: &Layers, env: &Environment) -> ServerDefaults {
    let origin = |key: &str| if layers.contains(key) { Origin::Config } else { Origin::Default };
    let (quotas, retention) = (&config.quotas, &config.retention);
    ServerDefaults {
        short_term_quota_bytes: (quotas.short_term.0, origin("quotas.short_term")),
        long_term_quota_bytes: (quotas.long_term.0, origin("quotas.long_term")),
        permanent_quota_bytes: (quotas.permanent.0, origin("quotas.permanent")),
        archive_allowance_bytes: quotas.archive_allowance.map(|bytes| (bytes.0, origin("quotas.archive_allowance"))),
        hard_limit_percent: quotas.hard_limit_percent,
        grace: (retention.grace.span(), origin("retention.grace")),
        daily_prune_cap_bytes: (retention.daily_prune_cap.0, origin("retention.daily_prune_cap")),
        meditation_interval: (retention.meditation_interval.span(), origin("retention.meditation_interval")),
        short_term_lifetime: (retention.short_term_lifetime.span(), origin("retention.short_term_lifetime")),
        low_score: (retention.low_score, origin("retention.low_score")),
        consent_retraction: (config.consent.on_retraction, origin("consent.on_retraction")),
        embedding: embedding(config, &origin),
        extraction: config.extraction.defaults(),
        compacting: config.compacting.defaults(),
        weight_levels: weights::levels(&config.scoring, env),
        audit_kept_for: Some(config.audit.keep.span()).filter(|kept_for| kept_for.0 > 0),
        attachments: config.attachments.limits(),
        min_score: config.recall.min_score,
        stages: config.recall.stages(),
        steps: config.meditation.steps(),
        merging: (config.meditation.merging, origin("meditation.merging")),
        draft_limits: DraftLimits { max_content_bytes: config.limits.max_content.as_usize() },
    }
}

fn embedding(config: &Config, origin: &impl Fn(&str) -> Origin) -> EmbeddingDefaults {
    let of = &config.embedding;
    EmbeddingDefaults {
        on: config.embedder.model.is_some(),
        vector_cap: (of.vector_cap, origin("embedding.vector_cap")),
        over_cap: of.over_cap,
        daily_limit: (of.daily_limit, origin("embedding.daily_limit")),
        weekly_limit: (of.weekly_limit, origin("embedding.weekly_limit")),
        window: (of.window, origin("embedding.window")),
        system_daily_budget: of.system_daily_budget,
    }
}
