//! The role of a process, from how it was started.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// A process of the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Api,
    Worker,
    Embedder,
}

impl Role {
    /// Returns the role that the words of a command line ask for, and the arguments after it; `None` for the command line.
    /// `kimberly-api`, `kimberly-worker` and `kimberly-embedder`, as the programs of 0.1 were named, are roles as well, also
    /// as the first argument: manifests of containers name them after the image's entry point.
    pub(crate) fn of(mut words: impl Iterator<Item = OsString>) -> (Option<Self>, Vec<OsString>) {
        let program = words.next().unwrap_or_default();
        if let Some(role) = Path::new(&program).file_name().and_then(Self::former) {
            return (Some(role), words.collect());
        }
        let mut words = words.peekable();
        let role = words.peek().and_then(|word| Self::former(word).or_else(|| Self::named(word.to_str()?)));
        (role, words.skip(usize::from(role.is_some())).collect())
    }

    fn former(program: &OsStr) -> Option<Self> {
        program.to_str()?.strip_prefix("kimberly-").and_then(Self::named)
    }

    fn named(name: &str) -> Option<Self> {
        match name {
            "api" => Some(Self::Api),
            "worker" => Some(Self::Worker),
            "embedder" => Some(Self::Embedder),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> (Option<Role>, Vec<String>) {
        let (role, arguments) = Role::of(line.split(' ').map(OsString::from));
        (role, arguments.into_iter().map(|word| word.into_string().unwrap()).collect())
    }

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn the_first_argument_is_the_role() {
        assert_eq!(of("/usr/bin/kimberly api --config a.toml"), (Some(Role::Api), words("--config a.toml")));
        assert_eq!(of("kimberly worker migrate"), (Some(Role::Worker), words("migrate")));
        assert_eq!(of("./kimberly embedder"), (Some(Role::Embedder), Vec::new()));
    }

    #[test]
    fn the_former_names_of_the_programs_are_roles() {
        assert_eq!(of("/usr/local/bin/kimberly-api --config a.toml"), (Some(Role::Api), words("--config a.toml")));
        assert_eq!(of("kimberly kimberly-worker --config a"), (Some(Role::Worker), words("--config a")));
        assert_eq!(of("kimberly-embedder check worker"), (Some(Role::Embedder), words("check worker")));
    }

    #[test]
    fn everything_else_is_the_command_line() {
        assert_eq!(of("kimberly recall api"), (None, words("recall api")));
        assert_eq!(of("kimberly --user worker").0, None);
        assert_eq!(of("kimberly").0, None);
        assert_eq!(of("/opt/kimberly-api/kimberly users").0, None);
    }
}
