//! All kinds of credentials: how they are presented, and what they permit.

use std::time::Duration;

use kimberly_proto::v1 as pb;
use kimberly_proto::v1::access_service_client::AccessServiceClient;
use serde_json::json;
use tonic::transport::Channel;

use crate::access::rpcs::Op;
use crate::access::tokens;

/// The user that most credentials can access, and another.
pub(crate) const OWN: &str = "ada.lovelace";
pub(crate) const OTHER: &str = "bob.ross";

/// The users that a credential can access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Users {
    All,
    Own,
    Other,
    /// Users whose ids start like the own user's.
    Beginning,
}

impl Users {
    pub(crate) fn reach(self, user: &str) -> bool {
        match self {
            Self::All => true,
            Self::Own => user == OWN,
            Self::Other => user == OTHER,
            Self::Beginning => user.starts_with("ad"),
        }
    }

    /// Whether it is one user only.
    pub(crate) const fn only(self) -> bool {
        matches!(self, Self::Own | Self::Other)
    }

    const fn pattern(self) -> &'static str {
        match self {
            Self::All => "*",
            Self::Own => OWN,
            Self::Other => OTHER,
            Self::Beginning => "ad*",
        }
    }
}

/// The grant of a credential.
#[derive(Clone, Copy, Debug)]
pub(crate) struct May {
    pub(crate) users: Users,
    pub(crate) ops: &'static [Op],
    /// Whether it can access only some memories, and thus not the hidden ones of the world.
    pub(crate) limited: bool,
    /// Whether its holder is an autonomous agent.
    pub(crate) agent: bool,
}

/// A kind of credential.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    /// The `authorization` header.
    pub(crate) shown: Option<String>,
    /// Whether it is used with the server without authentication.
    pub(crate) open: bool,
    /// A connection with its client certificate; `None` to use the shared one.
    pub(crate) own: Option<Channel>,
    /// Its grant; `None` if it authenticates no caller.
    pub(crate) may: Option<May>,
}

impl Kind {
    /// The name of its credential.
    pub(crate) fn credential(&self) -> String {
        self.name.replace(' ', "-")
    }

    /// Whether it presents a valid key.
    pub(crate) fn is_key(&self) -> bool {
        KEYS.iter().any(|(name, ..)| *name == self.name)
    }
}

const EVERYTHING: May = May { users: Users::All, ops: &Op::ALL, limited: false, agent: false };

/// Limits that each exclude the hidden memories.
fn limits(name: &str) -> pb::Grant {
    match name {
        "namespace" => pb::Grant { namespaces: vec!["work".to_owned()], ..pb::Grant::default() },
        "tier" => {
            pb::Grant { tiers: vec![pb::Tier::LongTerm.into(), pb::Tier::Permanent.into()], ..pb::Grant::default() }
        }
        "nothing sensitive" => pb::Grant { exclude_sensitive: true, ..pb::Grant::default() },
        _ => pb::Grant::default(),
    }
}

/// Valid keys.
const KEYS: &[(&str, Users, &[Op])] = &[
    ("admin", Users::All, &Op::ALL),
    ("reader of all", Users::All, &[Op::Read]),
    ("reader", Users::Own, &[Op::Read]),
    ("writer", Users::Own, &[Op::Write]),
    ("deleter", Users::Own, &[Op::Delete]),
    ("exporter", Users::Own, &[Op::Export]),
    ("own admin", Users::Own, &[Op::Admin, Op::Meditate]),
    ("of another", Users::Other, &Op::ALL),
    ("of a beginning", Users::Beginning, &Op::ALL),
    ("agent", Users::Own, &[Op::Read, Op::Write]),
    ("namespace", Users::Own, &Op::ALL),
    ("tier", Users::All, &Op::ALL),
    ("nothing sensitive", Users::Beginning, &Op::ALL),
];

/// Creates all kinds, on a server without authentication.
pub(crate) async fn all(open: &Channel, certified: impl Fn(&[&str]) -> Channel) -> Vec<Kind> {
    let mut access = AccessServiceClient::new(open.clone());
    let mut kinds = unknown();
    for (name, users, ops) in KEYS {
        let may = May { agent: *name == "agent", users: *users, ops, limited: limits(name) != pb::Grant::default() };
        let key = make(&mut access, name, &may, None).await;
        kinds.push(Kind { name, shown: Some(format!("Bearer {key}")), open: false, own: None, may: Some(may) });
    }
    kinds.extend(ended(&mut access).await);
    kinds.extend(of_tokens());
    kinds.extend(of_certificates(&mut access, certified).await);
    kinds
}

async fn make(access: &mut AccessServiceClient<Channel>, name: &str, may: &May, seconds: Option<i64>) -> String {
    register(access, name, may, (seconds, "")).await
}

/// Creates a key, or registers a certificate of this name.
async fn register(
    access: &mut AccessServiceClient<Channel>,
    name: &str,
    may: &May,
    (seconds, certificate): (Option<i64>, &str),
) -> String {
    let grant = pb::Grant {
        users: vec![may.users.pattern().to_owned()],
        operations: may.ops.iter().map(|op| op.number()).collect(),
        ..limits(name)
    };
    let request = pb::CreateKeyRequest {
        name: name.replace(' ', "-"),
        grant: Some(grant),
        agent: may.agent,
        lifetime: seconds.map(|seconds| prost_types::Duration { seconds, nanos: 0 }),
        certificate: certificate.to_owned(),
    };
    access.create_key(request).await.expect("a key is made").into_inner().key
}

/// No credential, and credentials that were never issued.
fn unknown() -> Vec<Kind> {
    let kind = |name, shown: Option<String>, open, may| Kind { name, shown, open, own: None, may };
    let secret = "A".repeat(43);
    let everything = EVERYTHING;
    vec![
        kind("none", None, false, None),
        kind("open", None, true, Some(everything)),
        kind("garbage", Some("Bearer not a key".to_owned()), false, None),
        kind("another scheme", Some("Basic YTpi".to_owned()), false, None),
        kind("unknown id", Some(format!("Bearer kmb_0123456789abcdef_{secret}")), false, None),
        kind("unknown id, open", Some(format!("Bearer kmb_0123456789abcdef_{secret}")), true, None),
    ]
}

/// Keys with full rights that are no longer valid.
async fn ended(access: &mut AccessServiceClient<Channel>) -> Vec<Kind> {
    let everything = EVERYTHING;
    let kind =
        |name, key: String| Kind { name, shown: Some(format!("Bearer {key}")), open: false, own: None, may: None };
    let good = make(access, "good", &everything, None).await;
    let changed = if good.ends_with('A') { "Q" } else { "A" };
    let wrong = format!("{}{changed}", &good[..good.len() - 1]);
    let revoked = make(access, "revoked", &everything, None).await;
    access.revoke_key(pb::RevokeKeyRequest { name: "revoked".to_owned() }).await.expect("a key is revoked");
    let expired = make(access, "expired", &everything, Some(1)).await;
    // The key's own expiry decides, so waiting longer changes nothing.
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    vec![kind("wrong secret", wrong), kind("revoked", revoked), kind("expired", expired)]
}

fn of_tokens() -> Vec<Kind> {
    let kind =
        |name, token: String, may| Kind { name, shown: Some(format!("Bearer {token}")), open: false, own: None, may };
    let reader = json!({"users": [OWN], "operations": ["read"]});
    let limited = json!({"users": [OWN], "operations": ["read", "write", "delete", "export"], "namespaces": ["work"]});
    let may = |ops, limited| Some(May { users: Users::Own, ops, limited, agent: false });
    let mut kinds = vec![
        kind("token", tokens::good(reader.clone()), may(&[Op::Read], false)),
        kind("token, limited", tokens::good(limited), may(&[Op::Read, Op::Write, Op::Delete, Op::Export], true)),
        kind("token, of nothing", tokens::without_grant(), may(&[], false)),
    ];
    let everything = json!({"users": ["*"], "operations": ["read", "write", "delete", "export", "meditate", "admin"]});
    kinds.extend(tokens::wrong(&everything).into_iter().map(|(name, token)| kind(name, token, None)));
    kinds
}

/// Valid certificates, and ones for unknown or revoked names.
async fn of_certificates(
    access: &mut AccessServiceClient<Channel>,
    certified: impl Fn(&[&str]) -> Channel,
) -> Vec<Kind> {
    let spiffe = |name: &str| format!("spiffe://example.org/{name}");
    let good: [(&str, Users, &[Op]); 5] = [
        ("certificate", Users::All, &Op::ALL),
        ("certificate of a reader", Users::Own, &[Op::Read]),
        ("certificate of an agent", Users::Beginning, &[Op::Read, Op::Write, Op::Export]),
        ("certificate, revoked", Users::All, &Op::ALL),
        ("certificate, expired", Users::All, &Op::ALL),
    ];
    let mut kinds = Vec::new();
    for (n, (name, users, ops)) in good.into_iter().enumerate() {
        let may = May { users, ops, limited: false, agent: name.ends_with("agent") };
        let (of, plain) = (spiffe(&n.to_string()), name.replace(',', ""));
        let seconds = name.ends_with("expired").then_some(1);
        register(access, &plain, &may, (seconds, &of)).await;
        let ended = name.contains(',');
        kinds.push(Kind {
            name,
            shown: None,
            open: false,
            own: Some(certified(&[of.as_str()])),
            may: (!ended).then_some(may),
        });
    }
    let revoke = pb::RevokeKeyRequest { name: "certificate-revoked".to_owned() };
    access.revoke_key(revoke).await.expect("a certificate is revoked");
    let nobody: [(&str, &[&str]); 3] = [
        ("certificate, unknown", &["spiffe://example.org/9"]),
        ("certificate of two", &["spiffe://example.org/0", "spiffe://example.org/1"]),
        ("certificate of nobody", &[]),
    ];
    kinds.extend(nobody.map(|(name, names)| Kind {
        name,
        shown: None,
        open: false,
        own: Some(certified(names)),
        may: None,
    }));
    let key = kinds.first().and_then(|kind| kind.own.clone());
    kinds.push(Kind {
        name: "certificate with a key that is none",
        shown: Some("Bearer not a key".to_owned()),
        open: false,
        own: key,
        may: None,
    });
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    kinds
}
