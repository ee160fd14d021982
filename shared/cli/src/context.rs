//! Shared by all commands: the user, the server, and the output format.

use std::path::PathBuf;

use kimberly_proto::v1;

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
    /// The user whose memory is used [default: the server's default user; if it has none, your account's name]
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
    /// The user whose memory is used; empty if the server has to decide.
    pub(crate) user: String,
    token_file: Option<PathBuf>,
    ca: Option<PathBuf>,
    /// The client certificate.
    pub(crate) identity: Option<Identity>,
    pub(crate) out: Output,
    /// ` --user NAME` if it was typed, for suggested commands.
    pub(crate) user_flag: String,
    /// Whether the user was named explicitly.
    pub(crate) user_is_named: bool,
    /// The connection, once there is one.
    client: Option<Client>,
}

impl Context {
    pub(crate) fn new(globals: Globals) -> Self {
        if globals.wide {
            view::show_whole();
        }
        let from_env = std::env::var("KIMBERLY_USER").ok();
        let typed = globals.user.clone().filter(|user| from_env.as_deref() != Some(user));
        let user_flag = typed.map_or_else(String::new, |user| format!(" --user {user}"));
        let named = globals.user.filter(|user| !user.is_empty());
        let user_is_named = named.is_some();
        let user = named.unwrap_or_default();
        let (server, token_file, ca) = (globals.server, globals.token_file, globals.ca);
        let identity = globals.tls_cert.zip(globals.tls_key).map(|(certificate, key)| Identity { certificate, key });
        let out = Output::new(globals.json);
        Self { server, user, token_file, ca, identity, out, user_flag, user_is_named, client: None }
    }

    /// Asks the server for its default user if none was named. Servers that require credentials have none: there, and
    /// wherever a key is sent to a server that does not answer, it is the account's name.
    pub(crate) async fn find_user(&mut self) {
        if self.user_is_named {
            return;
        }
        self.client = self.connect().await.ok();
        let default = match &self.client {
            Some(client) => client.server().get_server_info(v1::GetServerInfoRequest {}).await.ok(),
            None => None,
        };
        self.user = match default.map(|answer| answer.into_inner().default_user) {
            Some(user) if !user.is_empty() => user,
            Some(_) => account(),
            None => self.user_of_later(),
        };
    }

    /// The user of calls that are made later, once the server answers; empty if it has to decide.
    pub(crate) fn user_of_later(&self) -> String {
        let has_key = self.has_key().unwrap_or_default();
        if self.user_is_named || !has_key { self.user.clone() } else { account() }
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
        if let Some(client) = &self.client {
            return Ok(client.clone());
        }
        let token = Token::find(self.token_file.as_deref(), &self.server)?;
        Client::connect(&self.server, token.as_ref(), (self.ca.as_deref(), self.identity.as_ref())).await
    }
}

/// The name of the account, else "me".
pub(crate) fn account() -> String {
    let name = |variable| std::env::var(variable).ok().filter(|name| !name.is_empty());
    name("USER").or_else(|| name("LOGNAME")).unwrap_or_else(|| "me".to_owned())
}
