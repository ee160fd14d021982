//! Commands of the tool, as assistants send them.

use serde::{Deserialize, Serialize};

/// A command, with the field names that the tool's clients use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case")]
pub enum Command {
    /// Shows a file with line numbers, or a directory.
    View {
        /// The file or directory.
        path: String,
        /// First and last line, from 1; -1 means the end of the file.
        #[serde(default)]
        view_range: Option<Vec<i64>>,
    },
    /// Creates a file.
    Create {
        /// Path of the file, which must not exist.
        path: String,
        /// Its content.
        file_text: String,
    },
    /// Replaces a text that occurs once in a file.
    StrReplace {
        /// The file.
        path: String,
        /// The text to replace.
        old_str: String,
        /// The replacement.
        new_str: String,
    },
    /// Inserts lines.
    Insert {
        /// The file.
        path: String,
        /// The line to insert after.
        insert_line: i64,
        /// The lines to insert.
        insert_text: String,
    },
    /// Deletes a file or a directory.
    Delete {
        /// The file or directory.
        path: String,
    },
    /// Renames a file or a directory.
    Rename {
        /// The file or directory.
        old_path: String,
        /// The new path, which must not exist.
        new_path: String,
    },
}

const COMMANDS: &str = "view, create, str_replace, insert, delete, rename";

impl Command {
    /// Parses a command; the error is a message for the assistant.
    pub fn read(json: &str) -> Result<Self, String> {
        let value: serde_json::Value =
            serde_json::from_str(json).map_err(|error| format!("The command is not JSON: {error}"))?;
        let named = value.get("command").and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
        if !COMMANDS.split(", ").any(|known| known == named) {
            return Err(format!("Unknown command: {named}. Use one of {COMMANDS}."));
        }
        let command = serde_json::from_value(value).map_err(|error| format!("Invalid {named} command: {error}"))?;
        match &command {
            Self::View { view_range: Some(range), .. } if range.len() != 2 => {
                Err("Invalid `view_range` parameter: it should be [start_line, end_line].".to_owned())
            }
            _ => Ok(command),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_by_the_names_that_clients_use() {
        let view = Command::read(r#"{"command":"view","path":"/memories","view_range":null,"more":1}"#);
        assert_eq!(view, Ok(Command::View { path: "/memories".to_owned(), view_range: None }));
        for good in [
            r#"{"command":"view","path":"/memories/a","view_range":[1,-1]}"#,
            r#"{"command":"create","path":"/memories/a","file_text":""}"#,
            r#"{"command":"str_replace","path":"/memories/a","old_str":"a","new_str":""}"#,
            r#"{"command":"insert","path":"/memories/a","insert_line":0,"insert_text":"a"}"#,
            r#"{"command":"delete","path":"/memories/a"}"#,
            r#"{"command":"rename","old_path":"/memories/a","new_path":"/memories/b"}"#,
        ] {
            assert!(Command::read(good).is_ok(), "{good}");
        }
        for (bad, told) in [
            ("", "not JSON"),
            ("[]", "Unknown command: . Use"),
            (r#"{"command":"clear"}"#, "Unknown command: clear."),
            (r#"{"command":"view"}"#, "missing field `path`"),
            (
                r#"{"command":"insert","path":"/memories/a","insert_line":"0","insert_text":""}"#,
                "Invalid insert command",
            ),
            (r#"{"command":"view","path":"/memories","view_range":[1]}"#, "view_range"),
        ] {
            let error = Command::read(bad).unwrap_err();
            assert!(error.contains(told), "{bad}: {error}");
        }
    }
}
