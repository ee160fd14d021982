//! Converts uploads of embeddings from the contract; their status and texts to the contract.

use kimberly_core::Result;
use kimberly_core::bounds::MAX_MODEL_BYTES;
use kimberly_core::embedding::Hold;
use kimberly_core::error::{Error, FieldViolation};
use kimberly_core::usecases::embedding as e;
use kimberly_core::usecases::embedding::{EmbeddingState, SubjectId, SubjectTexts, UploadInput, UploadItem};
use kimberly_proto::v1;

use super::{int64, time};

/// Converts the status of a user's vectors to the contract.
pub fn status(status: &e::EmbeddingStatus) -> v1::EmbeddingStatus {
    let (limits, ledger) = (&status.limits, &status.ledger);
    let report = ledger.report.unwrap_or_default();
    let index = status.index.as_ref();
    v1::EmbeddingStatus {
        state: state(status.state) as i32,
        reason: status.reason.clone(),
        model: index.map(|index| index.model.slug()).unwrap_or_default(),
        dimension: index.and_then(|index| i32::try_from(index.model.dimension()).ok()).unwrap_or_default(),
        items: int64(index.map_or(0, |index| index.items)),
        vectors: int64(index.map_or(0, |index| index.vectors)),
        needed_vectors: int64(report.needed),
        missing_vectors: int64(report.missing),
        failed_items: int64(report.failed),
        vector_cap: int64(limits.vector_cap),
        computed_today: int64(ledger.today),
        daily_limit: int64(limits.daily),
        computed_this_week: int64(ledger.this_week),
        weekly_limit: int64(limits.weekly),
        window: limits.window.to_string(),
        next_run: status.next.map(time::wire_timestamp),
        last_run: ledger.report.map(|report| time::wire_timestamp(report.at)),
        index_bytes: int64(index.map_or(0, |index| index.disk_bytes)),
    }
}

fn state(state: EmbeddingState) -> v1::EmbeddingState {
    match state {
        EmbeddingState::InSync => v1::EmbeddingState::InSync,
        EmbeddingState::Pending => v1::EmbeddingState::Pending,
        EmbeddingState::Failed => v1::EmbeddingState::Failed,
        EmbeddingState::Held(hold) => match hold {
            Hold::ServerOff => v1::EmbeddingState::ServerOff,
            Hold::UserOff => v1::EmbeddingState::UserOff,
            Hold::OverCap { .. } => v1::EmbeddingState::OverCap,
            Hold::Window { .. } => v1::EmbeddingState::WaitsForWindow,
            Hold::DailyLimit { .. } => v1::EmbeddingState::DailyLimit,
            Hold::WeeklyLimit { .. } => v1::EmbeddingState::WeeklyLimit,
            Hold::SystemBudget => v1::EmbeddingState::SystemBudget,
        },
    }
}

/// Converts texts to the contract.
pub fn texts(texts: SubjectTexts) -> v1::EmbeddingTexts {
    v1::EmbeddingTexts {
        id: texts.id.to_string(),
        fingerprint: format!("{:016x}", texts.fingerprint),
        texts: texts.texts,
    }
}

/// Converts an upload. The domain checks the number of items and the vectors.
pub fn upload(raw: v1::UploadEmbeddingsRequest) -> Result<UploadInput> {
    let mut violations = Vec::new();
    if raw.model.is_empty() || raw.model.len() > MAX_MODEL_BYTES {
        let problem = format!("has {} bytes; 1-{MAX_MODEL_BYTES} are allowed", raw.model.len());
        violations.push(FieldViolation::new("model", problem));
    }
    let mut items = Vec::with_capacity(raw.items.len());
    for (index, item) in raw.items.into_iter().enumerate() {
        let id = match SubjectId::parse(&format!("items[{index}].id"), &item.id) {
            Ok(id) => Some(id),
            Err(Error::Invalid(found)) => {
                violations.extend(found);
                None
            }
            Err(other) => return Err(other),
        };
        let fingerprint = fingerprint(&item.fingerprint);
        if fingerprint.is_none() {
            let problem = "must be 16 hexadecimal digits in lower case, as ExportEmbeddingTexts sent them";
            violations.push(FieldViolation::new(format!("items[{index}].fingerprint"), problem));
        }
        if let Some((id, fingerprint)) = id.zip(fingerprint) {
            let vectors = item.vectors.into_iter().map(|vector| vector.values).collect();
            items.push(UploadItem { id, fingerprint, vectors });
        }
    }
    if violations.is_empty() { Ok(UploadInput { model: raw.model, items }) } else { Err(Error::Invalid(violations)) }
}

fn fingerprint(raw: &str) -> Option<u64> {
    let digits = raw.len() == 16 && raw.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    digits.then(|| u64::from_str_radix(raw, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upload_names_everything_that_is_wrong_with_it() {
        let item = |id: &str, fingerprint: &str| v1::EmbeddingItem {
            id: id.to_owned(),
            fingerprint: fingerprint.to_owned(),
            vectors: vec![v1::Vector { values: vec![1.0] }],
        };
        let good = item("mem_01890000-0000-7000-8000-000000000000", "00000000000000ff");
        let goal = item("goal_01890000-0000-7000-8000-000000000000", "00000000000000ff");
        let request = |model: &str, items| v1::UploadEmbeddingsRequest {
            user_id: "u".to_owned(),
            model: model.to_owned(),
            items,
        };
        let read = upload(request("m", vec![good.clone(), goal])).unwrap();
        assert_eq!((read.items[0].fingerprint, read.items.len()), (255, 2));
        let bad = vec![good.clone(), item("x", "FF"), item(&good.id, "")];
        let Err(Error::Invalid(found)) = upload(request("", bad)) else { panic!("accepted") };
        let fields: Vec<&str> = found.iter().map(|violation| violation.field.as_str()).collect();
        assert_eq!(fields, ["model", "items[1].id", "items[1].fingerprint", "items[2].fingerprint"]);
        assert!(upload(request(&"m".repeat(MAX_MODEL_BYTES + 1), vec![good])).is_err());
    }

    #[test]
    fn fingerprints_are_sent_as_they_are_read() {
        for value in [0, 1, u64::MAX] {
            let sent = texts(SubjectTexts {
                id: SubjectId::Goal(kimberly_core::GoalId(uuid::Uuid::nil())),
                fingerprint: value,
                texts: Vec::new(),
            });
            assert_eq!(fingerprint(&sent.fingerprint), Some(value));
        }
    }
}
