//! Records of consent as an export has them.

use kimberly_proto::v1;

use super::fields::Fields;
use crate::names::{ConsentGiverArg, RetractionArg, TierArg};

/// The record of a line.
pub(super) fn consent(fields: &Fields<'_>) -> Result<v1::Consent, String> {
    Ok(v1::Consent {
        id: fields.text("id")?,
        purpose: fields.text("purpose")?,
        scope: fields.object("scope")?.map(|inner| scope(&inner)).transpose()?,
        given_by: fields.name("given_by", ConsentGiverArg::number)?,
        note: fields.text("note")?,
        expires_at: fields.time("expires_at")?,
        wording_sha256: fields.text("wording_sha256")?,
        recorded_by: fields.text("recorded_by")?,
        granted_at: fields.time("granted_at")?,
        retracted_at: fields.time("retracted_at")?,
        retracted_by: fields.text("retracted_by")?,
        retraction: fields.name("retraction", RetractionArg::number)?,
        etag: fields.text("etag")?,
        ..v1::Consent::default()
    })
}

fn scope(fields: &Fields<'_>) -> Result<v1::ConsentScope, String> {
    let tiers = fields.texts("tiers")?;
    let number = |name: &String| TierArg::number(name).ok_or_else(|| format!("there is no tier {name:?}"));
    Ok(v1::ConsentScope {
        tiers: tiers.iter().map(number).collect::<Result<_, _>>()?,
        namespaces: fields.texts("namespaces")?,
        tags: fields.texts("tags")?,
        session_ids: fields.texts("session_ids")?,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::json;

    #[test]
    fn a_record_that_was_written_reads_back_as_it_was() {
        let time = |seconds| Some(prost_types::Timestamp { seconds, nanos: 5_000 });
        let full = v1::Consent {
            id: "con_x".to_owned(),
            purpose: "care".to_owned(),
            scope: Some(v1::ConsentScope {
                tiers: vec![2, 3],
                namespaces: vec![String::new(), "clinic".to_owned()],
                tags: vec!["health".to_owned()],
                session_ids: vec!["s".to_owned()],
            }),
            given_by: 2,
            note: "on paper".to_owned(),
            expires_at: time(9),
            wording_sha256: "a".repeat(64),
            recorded_by: "user".to_owned(),
            granted_at: time(1),
            retracted_at: time(5),
            retracted_by: "app".to_owned(),
            retraction: 2,
            status: 0,
            etag: "3".to_owned(),
        };
        let plain =
            v1::Consent { id: "con_y".to_owned(), scope: Some(v1::ConsentScope::default()), ..Default::default() };
        for consent in [full, plain] {
            let line: Value = json::consent(&consent);
            assert_eq!(super::consent(&Fields::new(line.as_object().unwrap())).unwrap(), consent);
        }
    }
}
