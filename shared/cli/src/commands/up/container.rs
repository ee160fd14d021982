//! In a container: the key that callers outside need, printed once by the start that made it, and how to run commands.

use kimberly_runtime::Config;
use kimberly_runtime::config::AuthMode;

use crate::token::{Token, file_of_account};

/// The account's key, which may do everything.
#[derive(Debug)]
pub(super) struct Key {
    is_new: bool,
}

impl Key {
    /// Looks whether this start will make the key. `None` outside containers, and if callers need no key.
    pub(super) fn before_start(config: &Config) -> Option<Self> {
        let is_new = !file_of_account(config).is_some_and(|file| file.exists());
        (config.api.container && config.auth.mode == AuthMode::Required).then_some(Self { is_new })
    }

    /// The key and how to send it; at later starts only the path of its file.
    pub(super) fn text(&self, config: &Config) -> String {
        let Some(file) = file_of_account(config) else { return String::new() };
        let others = format!("`{} keys create NAME --for USER --can read,write` makes other keys.", command());
        if self.is_new
            && let Ok(Some(key)) = Token::find(Some(&file), "")
        {
            return format!(
                "Callers need a key. This one may do everything; it was made now and is not printed again ({}):\n  {}\n\
                 Send it as a header: `Authorization: Bearer KEY`. {others}",
                file.display(),
                key.text
            );
        }
        format!("Callers need a key; the one that may do everything is in {}. {others}", file.display())
    }
}

/// How to run a command in this container from its host. Docker and Podman name containers by their host names.
pub(super) fn command() -> String {
    let name = std::fs::read_to_string("/etc/hostname").unwrap_or_default();
    let name = if name.trim().is_empty() { "CONTAINER" } else { name.trim() };
    format!("docker exec {name} kimberly")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use kimberly_runtime::config::{ApiConfig, AuthConfig, KeysConfig};

    use super::*;

    #[test]
    fn a_container_prints_the_key_of_its_first_start_and_later_only_where_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("admin.token");
        let config = |container, mode| Config {
            api: ApiConfig { container, ..ApiConfig::default() },
            auth: AuthConfig { mode, ..AuthConfig::default() },
            keys: KeysConfig { folder: Some(folder.path().to_owned()), ..KeysConfig::default() },
            ..Config::default()
        };
        assert!(Key::before_start(&config(false, AuthMode::Required)).is_none(), "not in a container");
        assert!(Key::before_start(&config(true, AuthMode::Open)).is_none(), "callers need none");
        let config = config(true, AuthMode::Required);
        let first = Key::before_start(&config).unwrap();
        std::fs::write(&file, "kmb_1_secret\n").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        assert!(first.text(&config).contains("\n  kmb_1_secret\n") && first.text(&config).contains("Bearer"));
        let later = Key::before_start(&config).unwrap().text(&config);
        assert!(!later.contains("secret") && later.contains(&file.display().to_string()), "{later}");
    }
}
