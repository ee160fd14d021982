//! `DescribeModels`.

use kimberly_proto::internal::{DescribeModelsResponse, LoadedModel};

use super::key;
use crate::models::Models;

pub(super) fn describe(models: &Models) -> DescribeModelsResponse {
    let loaded = models.all().map(|embedder| {
        let model = embedder.model();
        LoadedModel {
            key: Some(key(model.key())),
            window_tokens: u32::try_from(model.window()).unwrap_or(u32::MAX),
            precision: model.precision().name().to_owned(),
            bytes: u64::try_from(model.bytes()).unwrap_or(u64::MAX),
        }
    });
    DescribeModelsResponse { models: loaded.collect() }
}
