//! Describes this server: its features, and the bounds that it enforces.

use kimberly_core::bounds;
use kimberly_core::scoring::SCORING_VERSION;
use kimberly_proto::v1;
use kimberly_proto::v1::Feature;
use kimberly_runtime::config::Config;

use crate::{Api, convert};

/// Creates the response of `GetServerInfo`.
pub(crate) fn describe(api: &Api, config: &Config) -> v1::GetServerInfoResponse {
    v1::GetServerInfoResponse {
        version: kimberly_runtime::VERSION.to_owned(),
        api_version: "kimberly.v1".to_owned(),
        features: features(api),
        limits: Some(limits(api, config)),
        scoring_version: SCORING_VERSION.to_owned(),
        default_user: config.auth.implied_user().map(String::from).unwrap_or_default(),
        public_key: api.core.signer().map(convert::audit::public_key).unwrap_or_default(),
    }
}

fn features(api: &Api) -> Vec<i32> {
    let embeddings = api.defaults().embedding.on.then_some(Feature::Embeddings);
    let always = [Feature::Json, Feature::GrpcWeb, Feature::Streams];
    always.into_iter().chain(embeddings).map(i32::from).collect()
}

fn limits(api: &Api, config: &Config) -> v1::Limits {
    v1::Limits {
        max_request_bytes: convert::int64(config.api.max_request_bytes.0),
        max_content_bytes: convert::int64(api.defaults().draft_limits.max_content_bytes as u64),
        max_batch_size: convert::int32(bounds::MAX_BATCH),
        max_batch_bytes: convert::int64(bounds::MAX_BATCH_BYTES as u64),
        max_page_size: convert::int32(bounds::MAX_PAGE_SIZE),
        max_top_k: convert::int32(bounds::MAX_TOP_K),
        max_concurrent_calls_per_user: convert::int32(config.limits.max_calls_per_user),
        user_calls_per_second: config.limits.user_calls_per_second,
        credential_calls_per_second: config.limits.credential_calls_per_second,
        max_call_duration: Some(convert::time::wire_duration(config.api.request_timeout.span())),
        max_streams: convert::int32(config.limits.max_streams),
    }
}
