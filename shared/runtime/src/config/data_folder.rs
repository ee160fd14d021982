//! The default data folder: the platform's data folder of this account, so that commands in any folder use the same
//! memories.

use std::path::{Path, PathBuf};

use super::Environment;

/// The data folder below the current folder. Used if it holds memories and the account's folder does not, or if there
/// is no home.
const HERE: &str = "data";

/// Returns the data folder, and a message if a data folder below the current one matters.
pub(super) fn chosen(env: &Environment) -> (PathBuf, Option<String>) {
    let here = PathBuf::from(HERE);
    let Some(own) = of_account(env) else { return (here, None) };
    let shown = own.display();
    match (holds_data(&here), holds_data(&own)) {
        (true, false) => {
            let note = format!(
                "using ./data, which holds memories, instead of the default {shown}; move it there, or set KIMBERLY_DATA_DIR"
            );
            (here, Some(note))
        }
        (true, true) => {
            let note = format!(
                "both ./data and {shown} hold memories; using {shown}: set KIMBERLY_DATA_DIR=data to use ./data"
            );
            (own, Some(note))
        }
        (false, _) => (own, None),
    }
}

/// `$XDG_DATA_HOME/kimberly`, else `~/.local/share/kimberly`. Ignores values that are not absolute paths, as XDG
/// requires.
fn of_account(env: &Environment) -> Option<PathBuf> {
    let absolute = |name: &str| env.get(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let share = absolute("XDG_DATA_HOME").or_else(|| Some(absolute("HOME")?.join(".local/share")))?;
    Some(share.join("kimberly"))
}

/// Whether a process has used this folder before.
fn holds_data(folder: &Path) -> bool {
    ["vaults", "keys", "system.db"].iter().any(|name| folder.join(name).exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(vars: &[(&str, &str)]) -> Option<String> {
        let vars = vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        of_account(&Environment(vars)).map(|path| path.display().to_string())
    }

    #[test]
    fn the_platforms_folder_is_taken_and_what_is_no_absolute_path_is_passed_over() {
        let home = ("HOME", "/home/ada");
        assert_eq!(of(&[home]).as_deref(), Some("/home/ada/.local/share/kimberly"));
        assert_eq!(of(&[home, ("XDG_DATA_HOME", "/x")]).as_deref(), Some("/x/kimberly"));
        assert_eq!(of(&[home, ("XDG_DATA_HOME", "x")]).as_deref(), Some("/home/ada/.local/share/kimberly"));
        assert_eq!(of(&[("HOME", "")]), None);
    }
}
