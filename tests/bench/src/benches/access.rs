//! Timing side channels of refusals: calls for hidden and absent memories, for existing and absent users, and with
//! different kinds of wrong keys, alternating.

use std::time::{Duration, Instant};

use kimberly_proto::v1 as pb;
use kimberly_proto::v1::access_service_client::AccessServiceClient;
use kimberly_proto::v1::memory_service_client::MemoryServiceClient;
use tonic::transport::Channel;
use tonic::{Code, Request};

use crate::figures::{Aim, Figures};
use crate::load::{Sample, connect};
use crate::report::Report;
use crate::system::{Role, System};
use crate::{Options, Result};

const USER: &str = "ada";
const OTHER: &str = "bob";
/// Memories per namespace.
const MEMORIES: usize = 1_000;
/// Calls to warm up each measurement.
const WARM_UP: usize = 500;

/// Two calls with identical responses, and their times.
struct Pair {
    name: &'static str,
    calls: [Call; 2],
    taken: [Vec<Duration>; 2],
}

/// A call.
#[derive(Clone)]
struct Call {
    user: &'static str,
    /// The memories, requested in turn.
    ids: Vec<String>,
    key: String,
    /// The expected code.
    code: Code,
    /// Whether the call would be a write.
    writes: bool,
}

/// Measures and reports.
pub(crate) async fn run(options: Options, report: &mut Report) -> Result<()> {
    let calls = if options.quick { 1_000 } else { 20_000 };
    let mut system = System::prepare(&[("KIMBERLY_LOG", "warn")])?;
    system.start(Role::Api).await?;
    let channel = connect(&system.api_url(), 1).await?.remove(0);
    let mut pairs = pairs(&channel).await?;
    for pair in &mut pairs {
        for round in 0..WARM_UP + calls {
            // The order alternates too.
            for side in if round % 2 == 0 { [0, 1] } else { [1, 0] } {
                let taken = pair.calls[side].send(&channel, round).await?;
                if round >= WARM_UP {
                    pair.taken[side].push(taken);
                }
            }
        }
    }
    let mut figures = Figures::new(report, "refusals that must look alike");
    for Pair { name, taken: [one, other], .. } in &pairs {
        let (one, other) = (Sample::of(one), Sample::of(other));
        for (which, at) in [("p50", 0.50), ("p99", 0.99)] {
            let (a, b) = (one.percentile(at), other.percentile(at));
            figures.add(&format!("access.{name}.{which}_ms"), b, Aim::Open);
            figures.add(&format!("access.{name}.{which}_ratio"), a.max(b) / a.min(b), Aim::AtMost(1.2));
        }
    }
    figures.print();
    Ok(())
}

async fn pairs(channel: &Channel) -> Result<Vec<Pair>> {
    let hidden = remember(channel, USER, "home").await?;
    remember(channel, USER, "work").await?;
    remember(channel, OTHER, "work").await?;
    let absent: Vec<String> = hidden.iter().map(|id| another(id)).collect();
    let limited = key(channel, "limited", &["work"]).await?;
    let call = |user, ids: &[String], key: &str, code, writes| Call {
        user,
        ids: ids.to_vec(),
        key: key.to_owned(),
        code,
        writes,
    };
    let secret = "A".repeat(43);
    let wrong = format!("{}{secret}", &limited[..limited.len() - secret.len()]);
    let unknown = format!("kmb_0123456789abcdef_{secret}");
    let (missing, denied, refused) = (Code::NotFound, Code::PermissionDenied, Code::Unauthenticated);
    let pair = |name, one, other| Pair { name, calls: [one, other], taken: Default::default() };
    Ok(vec![
        pair(
            "hidden_or_absent_memory.read",
            call(USER, &hidden, &limited, missing, false),
            call(USER, &absent, &limited, missing, false),
        ),
        pair(
            "hidden_or_absent_memory.delete",
            call(USER, &hidden, &limited, missing, true),
            call(USER, &absent, &limited, missing, true),
        ),
        pair(
            "other_or_absent_user",
            call(OTHER, &absent, &limited, denied, false),
            call("nobody", &absent, &limited, denied, false),
        ),
        pair(
            "unknown_or_wrong_key",
            call(USER, &absent, &unknown, refused, false),
            call(USER, &absent, &wrong, refused, false),
        ),
    ])
}

/// Stores memories in a namespace; returns their ids.
async fn remember(channel: &Channel, user: &str, namespace: &str) -> Result<Vec<String>> {
    let draft = |n| pb::MemoryDraft {
        content: format!("Note {n} of {namespace}, which is about as long as what people tell in one breath or two."),
        namespace: namespace.to_owned(),
        ..pb::MemoryDraft::default()
    };
    let request = pb::BatchCreateMemoriesRequest {
        user_id: user.to_owned(),
        memories: (0..MEMORIES).map(draft).collect(),
        request_id: String::new(),
        always_new: true,
    };
    let answer = MemoryServiceClient::new(channel.clone()).batch_create_memories(request).await?.into_inner();
    Ok(answer.receipts.into_iter().map(|receipt| receipt.id).collect())
}

/// An unused id from the same millisecond as an existing one.
fn another(id: &str) -> String {
    let turned = |digit: char| if digit == 'f' { '0' } else { 'f' };
    let (time, random) = id.split_at(id.len() - 12);
    format!("{time}{}", random.chars().map(turned).collect::<String>())
}

async fn key(channel: &Channel, name: &str, namespaces: &[&str]) -> Result<String> {
    let grant = pb::Grant {
        users: vec![USER.to_owned()],
        operations: vec![pb::Operation::Read.into(), pb::Operation::Delete.into()],
        namespaces: namespaces.iter().map(|name| (*name).to_owned()).collect(),
        ..pb::Grant::default()
    };
    let request = pb::CreateKeyRequest { name: name.to_owned(), grant: Some(grant), ..Default::default() };
    Ok(AccessServiceClient::new(channel.clone()).create_key(request).await?.into_inner().key)
}

impl Call {
    /// The time of a refusal.
    async fn send(&self, channel: &Channel, round: usize) -> Result<Duration> {
        let id = self.ids[round % self.ids.len()].clone();
        let user_id = self.user.to_owned();
        let mut client = MemoryServiceClient::new(channel.clone());
        let started = Instant::now();
        let answer = if self.writes {
            let request = pb::DeleteMemoryRequest { user_id, id, ..pb::DeleteMemoryRequest::default() };
            client.delete_memory(self.shown(request)?).await.map(drop)
        } else {
            client
                .get_memory(self.shown(pb::GetMemoryRequest { user_id, id, explain: false, ..Default::default() })?)
                .await
                .map(drop)
        };
        let taken = started.elapsed();
        match answer {
            Err(status) if status.code() == self.code => Ok(taken),
            Err(status) => Err(format!("call {round}, which must end as {:?}, ended as {status:?}", self.code).into()),
            Ok(()) => Err(format!("call {round}, which must end as {:?}, was carried out", self.code).into()),
        }
    }

    fn shown<M>(&self, message: M) -> Result<Request<M>> {
        let mut request = Request::new(message);
        request.metadata_mut().insert("authorization", format!("Bearer {}", self.key).parse()?);
        Ok(request)
    }
}
