//! The detail of a record, as `--detail-json` accepts it: the JSON of its kind's message, such as `{"choice":
//! "Fridays", "alternatives": ["Mondays"]}` for a decision.

use kimberly_proto::v1;
use serde_json::{Value, json};

use crate::error::{CliError, CliResult};
use crate::{json, names};

/// Parses the detail of a record of this kind; the error names the problem and the valid members.
pub(crate) fn read(kind: i32, text: &str) -> CliResult<v1::Detail> {
    let kind = names::kind(kind);
    let members = json::members::<v1::Detail>(&kind);
    if members.is_empty() {
        let what = if kind.is_empty() { "a memory without a kind".to_owned() } else { format!("a {kind}") };
        return Err(refused(&format!("{what} has no detail; name another --kind, or omit it")));
    }
    let value = json::parse(text)
        .and_then(|value| if value.is_object() { Ok(value) } else { Err("not a JSON object".to_owned()) });
    let value = value.map_err(|problem| {
        refused(&format!("{problem}; write an object with the members of a {kind}: {}", members.join(", ")))
    })?;
    let held = |value: &Value| json!({ kind.as_str(): value });
    json::read(&held(&value)).map_err(|problem| refused(&why(&value, held, &problem, (&kind, &members))))
}

/// Explains what is wrong with the first member that cannot be parsed by itself.
fn why(value: &Value, held: impl Fn(&Value) -> Value, problem: &str, (kind, members): (&str, &[String])) -> String {
    for (name, member) in value.as_object().into_iter().flatten() {
        let alone = held(&json!({ name.as_str(): member }));
        let Err(problem) = json::read::<v1::Detail>(&alone) else { continue };
        if json::read_known::<v1::Detail>(&alone).is_ok() {
            return format!("a {kind} has no member {name:?}; it has {}", members.join(", "));
        }
        return format!("{name}: {}", problem.trim_start_matches(&format!("{kind}: ")));
    }
    problem.to_owned()
}

fn refused(problem: &str) -> CliError {
    CliError::usage(format!("--detail-json: {problem}"))
}

#[cfg(test)]
mod tests {
    use kimberly_proto::v1::detail::Kind;

    use super::*;

    fn refusal(kind: v1::Kind, text: &str) -> String {
        read(kind.into(), text).unwrap_err().message().to_owned()
    }

    #[test]
    fn a_detail_is_the_json_of_the_message_of_its_kind() {
        let read = |kind: v1::Kind, text: &str| read(kind.into(), text).unwrap().kind.unwrap();
        let decision = read(v1::Kind::Decision, r#"{"choice": "Fridays", "alternatives": ["Mondays"]}"#);
        let expected = v1::DecisionDetail {
            choice: "Fridays".to_owned(),
            alternatives: vec!["Mondays".to_owned()],
            ..v1::DecisionDetail::default()
        };
        assert_eq!(decision, Kind::Decision(expected));
        let episode = read(v1::Kind::Episode, r#"{"objective": "ship", "outcomeType": "success", "valence": -0.5}"#);
        let Kind::Episode(episode) = episode else { panic!("{episode:?}") };
        assert_eq!((episode.outcome_type(), episode.valence), (v1::OutcomeType::Success, Some(-0.5)));
        let playbook = read(v1::Kind::Playbook, r#"{"failure_modes": ["no network"]}"#);
        let Kind::Playbook(playbook) = playbook else { panic!("{playbook:?}") };
        assert_eq!(playbook.failure_modes, ["no network"]);
    }

    #[test]
    fn what_is_wrong_is_named_with_what_there_is() {
        assert_eq!(
            refusal(v1::Kind::Decision, r#"{"choise": "Fridays"}"#),
            "--detail-json: a decision has no member \"choise\"; it has choice, alternatives, rationale"
        );
        assert!(refusal(v1::Kind::Decision, "[1]").contains("not a JSON object"));
        assert!(refusal(v1::Kind::Decision, "{").contains("not JSON"));
        let number = refusal(v1::Kind::Drive, r#"{"focus": [], "intensity": "strong"}"#);
        assert!(number.starts_with("--detail-json: intensity: "), "{number}");
        assert!(refusal(v1::Kind::Belief, "{}").contains("a belief has no detail"));
        assert!(refusal(v1::Kind::Unspecified, "{}").contains("a memory without a kind has no detail"));
    }
}
