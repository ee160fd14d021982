//! `Debug` for messages that hold a secret, which omits the secret.

use std::fmt;

use crate::v1;

macro_rules! without_key {
    ($($message:ident),+) => {
        $(impl fmt::Debug for v1::$message {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($message)).field("credential", &self.credential).finish_non_exhaustive()
            }
        })+
    };
}

without_key!(CreateKeyResponse, RotateKeyResponse);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_not_shown() {
        let key = "kmb_secret".to_owned();
        let made = v1::CreateKeyResponse { credential: Some(v1::Credential::default()), key: key.clone() };
        let renewed = v1::RotateKeyResponse { credential: None, key };
        let shown = format!("{made:?} {renewed:#?}");
        assert!(shown.contains("CreateKeyResponse") && !shown.contains("kmb_secret"), "{shown}");
    }
}
