//! The settings of Claude Code, a JSON object, with or without our hooks. Everything else is preserved.
//!
//! `{"hooks": {EVENT: [{"hooks": [{"type": "command", "command": "...", "timeout": SECONDS}]}]}}`

use serde_json::{Map, Value, json};

use crate::commands::hook::Event;

/// The member that contains the events, and within an event the commands.
const HOOKS: &str = "hooks";
/// Seconds after which the assistant kills a hook; ours end earlier.
const TIMEOUT: u64 = 10;

/// The settings with our command for each event, replacing older ones of ours.
pub(super) fn with(
    mut settings: Map<String, Value>,
    command: impl Fn(Event) -> String,
) -> Result<Map<String, Value>, String> {
    settings = without(settings)?;
    let events = settings.entry(HOOKS).or_insert_with(|| json!({}));
    let events = events.as_object_mut().ok_or_else(no_object)?;
    for event in Event::ALL {
        let hook = json!({"type": "command", "command": command(event), "timeout": TIMEOUT});
        let groups = events.entry(event.name()).or_insert_with(|| json!([]));
        let groups = groups.as_array_mut().ok_or_else(|| no_list(event.name()))?;
        groups.push(json!({HOOKS: [hook]}));
    }
    Ok(settings)
}

/// The settings without our commands, and without members that become empty.
pub(super) fn without(mut settings: Map<String, Value>) -> Result<Map<String, Value>, String> {
    let Some(events) = settings.get_mut(HOOKS) else { return Ok(settings) };
    let events = events.as_object_mut().ok_or_else(no_object)?;
    let had_events = !events.is_empty();
    for event in Event::ALL {
        let Some(groups) = events.get_mut(event.name()) else { continue };
        let groups = groups.as_array_mut().ok_or_else(|| no_list(event.name()))?;
        groups.retain_mut(|group| {
            let Some(commands) = group.get_mut(HOOKS).and_then(Value::as_array_mut) else { return true };
            let had = commands.len();
            commands.retain(|command| !is_ours(command, event));
            !commands.is_empty() || commands.len() == had
        });
        if groups.is_empty() {
            events.remove(event.name());
        }
    }
    if had_events && events.is_empty() {
        settings.remove(HOOKS);
    }
    Ok(settings)
}

/// Our commands in the settings.
pub(super) fn ours(settings: &Map<String, Value>) -> Vec<(Event, String)> {
    let commands = |event: Event| {
        let groups = settings.get(HOOKS).and_then(|events| events.get(event.name())).and_then(Value::as_array);
        let commands = groups.into_iter().flatten().filter_map(|group| group.get(HOOKS)?.as_array()).flatten();
        commands
            .filter(move |command| is_ours(command, event))
            .filter_map(move |one| Some((event, text(one)?.to_owned())))
    };
    Event::ALL.into_iter().flat_map(commands).collect()
}

fn text(command: &Value) -> Option<&str> {
    command.get("command")?.as_str()
}

fn is_ours(command: &Value, event: Event) -> bool {
    text(command).is_some_and(|text| text.contains("kimberly") && text.contains(&format!(" hook {}", event.name())))
}

fn no_object() -> String {
    "its \"hooks\" are not an object; fix them first".to_owned()
}

fn no_list(event: &str) -> String {
    format!("its hooks of {event} are not a list; fix them first")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        match value {
            Value::Object(object) => object,
            other => panic!("{other}"),
        }
    }

    fn command(event: Event) -> String {
        format!("'/bin/kimberly' hook {} --user 'ana'", event.name())
    }

    #[test]
    fn what_else_stands_there_stays_and_ours_stands_once() {
        let before = object(json!({
            "model": "opus",
            "hooks": {
                "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}],
                "PreToolUse": [{"matcher": "Bash", "hooks": []}],
            },
        }));
        let once = with(before.clone(), command).unwrap();
        assert_eq!(ours(&once).len(), Event::ALL.len());
        assert_eq!(once["hooks"]["Stop"][0], before["hooks"]["Stop"][0]);
        assert_eq!(once["hooks"]["Stop"][1]["hooks"][0]["command"], command(Event::Stop));
        assert_eq!(with(once.clone(), command).unwrap(), once, "once more");
        assert_eq!(without(once).unwrap(), before);
    }

    #[test]
    fn settings_that_were_empty_are_empty_again() {
        let installed = with(Map::new(), command).unwrap();
        assert_eq!(without(installed).unwrap(), Map::new());
        assert_eq!(ours(&Map::new()), []);
    }

    #[test]
    fn settings_of_another_form_are_refused() {
        for wrong in [json!({"hooks": []}), json!({"hooks": {"Stop": {}}})] {
            assert!(with(object(wrong.clone()), command).is_err() && without(object(wrong)).is_err());
        }
    }
}
