//! Creates a key, or registers a certificate.

use kimberly_core::access::{CertificateName, Operation, Operations, Rows, UserPatterns};
use kimberly_core::bounds::KEY_LIFETIME;
use kimberly_core::memory::Tier;
use kimberly_core::time::Timestamp;
use kimberly_core::usecases::keys::CreateKeyInput;
use kimberly_core::{Error, Result, UserId};
use kimberly_proto::v1;

use super::{name, no_random};
use crate::access::Entered;
use crate::auth::{random_id, random_secret};
use crate::convert;
use crate::convert::enums::{WireEnum, set};
use crate::convert::problems::{Problems, required};

pub(super) async fn handle(entered: Entered<v1::CreateKeyRequest, Option<UserId>>) -> Result<v1::CreateKeyResponse> {
    let Entered { message: request, app, system, .. } = entered;
    let input = input(request, app.clock.now())?;
    let made = app.create_key(&*system.auth.credentials, input).await?;
    // A recent lookup may have cached that its id or certificate does not exist.
    system.auth.forget(&made.listed.credential);
    let key = made.key.map(|key| key.reveal()).unwrap_or_default();
    Ok(v1::CreateKeyResponse { credential: Some(convert::credential::credential(made.listed)), key })
}

fn input(request: v1::CreateKeyRequest, now: Timestamp) -> Result<CreateKeyInput> {
    let grant = required("grant", request.grant)?;
    let mut problems = Problems::default();
    let name = problems.absorb(name(&request.name));
    let users = problems.absorb(UserPatterns::parse("grant.users", &grant.users));
    let operations: Option<Vec<Operation>> = problems.absorb(each("grant.operations", &grant.operations));
    let tiers: Option<Vec<Tier>> = problems.absorb(each("grant.tiers", &grant.tiers));
    let certificate = (!request.certificate.is_empty()).then(|| CertificateName::parse(&request.certificate));
    let certificate = problems.absorb(certificate.transpose()).flatten();
    let lifetime = problems.take("lifetime", convert::time::optional_span(request.lifetime));
    if lifetime.is_some_and(|lifetime| !KEY_LIFETIME.contains(&lifetime)) {
        problems.add("lifetime", "is out of bounds; 1 s to 3,650 days are allowed, or none at all");
    }
    let tiers = tiers.unwrap_or_default();
    let rows = problems.absorb(Rows::parse("grant", &grant.namespaces, &tiers, grant.exclude_sensitive));
    let (Some(name), Some(users), Some(operations), Some(rows)) = (name, users, operations, rows) else {
        return problems.finish(()).and_then(|()| Err(Error::invalid("grant", "is not valid")));
    };
    problems.finish(CreateKeyInput {
        name,
        users,
        operations: operations.into_iter().collect::<Operations>(),
        rows,
        agent: request.agent,
        expires_at: lifetime.map(|lifetime| now.plus(lifetime)),
        certificate,
        random_id: random_id().map_err(no_random)?,
        random_secret: random_secret().map_err(no_random)?,
    })
}

fn each<E: WireEnum>(field: &str, raw: &[i32]) -> Result<Vec<E>> {
    let mut problems = Problems::default();
    let values = raw.iter().enumerate().filter_map(|(index, number)| {
        let value = set::<E>(*number).map_err(|problem| Error::invalid(format!("{field}[{index}]"), problem));
        problems.absorb(value)
    });
    let values = values.collect();
    problems.finish(values)
}
