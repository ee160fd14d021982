//! Shared by all commands: the user, the server, and the output format.

use std::path::PathBuf;

use crate::client::Client;
use crate::error::CliResult;
use crate::output::Output;
use crate::tls::Identity;
use crate::token::Token;
use crate::view;

/// Help heading of options that all commands have.
const GLOBAL: &str = "Global options";
/// Help heading of rarely needed options, shown last.
const CONNECTION: &str = "Connection";

/// Options of every command.
#[derive(clap::Args)]
pub(crate) struct Globals {
    /// The user whose memory is used [default: your account's name, else "me"]
    #[arg(long, global = true, help_heading = GLOBAL, env = "KIMBERLY_USER", value_name = "USER")]
    user: Option<String>,
    /// Print JSON for programs instead of tables for people
    #[arg(long, global = true, help_heading = GLOBAL)]
    json: bool,
    /// Show whole ids in tables, however wide they get
    #[arg(long, global = true, help_heading = GLOBAL)]
    wide: bool,
    /// Address of the server
    #[arg(long, global = true, help_heading = CONNECTION, env = "KIMBERLY_SERVER", default_value = "http://127.0.0.1:7420", value_name = "URL")]
    server: String,
    /// The file that holds your key [default: the variable `KIMBERLY_TOKEN`, else the key of this account]
    #[arg(long, global = true, help_heading = CONNECTION, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Certificates of trusted authorities, in PEM, for servers with https [default: those that browsers trust]
    #[arg(long, global = true, help_heading = CONNECTION, env = "KIMBERLY_CA", value_name = "FILE")]
    ca: Option<PathBuf>,
    /// Your certificate, in PEM, for servers that require one
    #[arg(long, global = true, help_heading = CONNECTION, env = "KIMBERLY_TLS_CERT", requires = "tls_key", value_name = "FILE")]
    tls_cert: Option<PathBuf>,
    /// The private key of your certificate, in PEM
    #[arg(long, global = true, help_heading = CONNECTION, env = "KIMBERLY_TLS_KEY", requires = "tls_cert", value_name = "FILE")]
    tls_key: Option<PathBuf>,
}

/// The context of every command.
pub(crate) struct Context {
    pub(crate) server: String,
    pub(crate) user: String,
    token_file: Option<PathBuf>,
    ca: Option<PathBuf>,
    /// The client certificate.
    pub(crate) identity: Option<Identity>,
    pub(crate) out: Output,
    /// ` --user NAME` if it was typed, for suggested commands.
    pub(crate) user_flag: String,
    /// Whether the user was named explicitly rather than taken from the account.
    pub(crate) user_is_named: bool,
}

impl Context {
    pub(crate) fn new(globals: Globals) -> Self {
        if globals.wide {
            view::show_whole();
        }
        let account = || ["USER", "LOGNAME"].iter().find_map(|name| std::env::var(name).ok().filter(|v| !v.is_empty()));
        let from_env = std::env::var("KIMBERLY_USER").ok();
        let typed = globals.user.clone().filter(|user| from_env.as_deref() != Some(user));
        let user_flag = typed.map_or_else(String::new, |user| format!(" --user {user}"));
        let named = globals.user.filter(|user| !user.is_empty());
        let user_is_named = named.is_some();
        let user = named.or_else(account).unwrap_or_else(|| "me".to_owned());
        let (server, token_file, ca) = (globals.server, globals.token_file, globals.ca);
        let identity = globals.tls_cert.zip(globals.tls_key).map(|(certificate, key)| Identity { certificate, key });
        Self { server, user, token_file, ca, identity, out: Output::new(globals.json), user_flag, user_is_named }
    }

    /// Whether calls send a key.
    pub(crate) fn has_key(&self) -> CliResult<bool> {
        Ok(Token::find(self.token_file.as_deref(), &self.server)?.is_some())
    }

    /// Absolute paths of the files named in options, by option.
    pub(crate) fn files(&self) -> CliResult<Vec<(&'static str, PathBuf)>> {
        let identity = self.identity.as_ref();
        let named = [
            ("--token-file", self.token_file.as_ref()),
            ("--ca", self.ca.as_ref()),
            ("--tls-cert", identity.map(|of| &of.certificate)),
            ("--tls-key", identity.map(|of| &of.key)),
        ];
        let named = named.into_iter().filter_map(|(option, path)| Some((option, path?)));
        named.map(|(option, path)| Ok((option, std::path::absolute(path)?))).collect()
    }

    /// Connects to the server.
    pub(crate) async fn connect(&self) -> CliResult<Client> {
        let token = Token::find(self.token_file.as_deref(), &self.server)?;
        Client::connect(&self.server, token.as_ref(), (self.ca.as_deref(), self.identity.as_ref())).await
    }
}
