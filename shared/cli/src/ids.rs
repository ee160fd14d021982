//! Ids as people type them: complete, or by their last characters, as tables show them. Anything else is sent to the
//! server unchanged, which reports what is wrong.

use kimberly_proto::v1;

use crate::client::Client;
use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::pages::{self, every};

/// Minimum number of characters to look up.
const LEAST: usize = 4;
/// Characters of an id after its prefix.
const WHOLE: usize = 36;
/// Maximum ids that an error lists.
const NAMED: usize = 3;

/// The kind of object that an id identifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Memory,
    Entity,
    Goal,
    Consent,
    Attachment,
    Meditation,
    Purge,
}

impl Kind {
    const OF_USERS: [Self; 6] =
        [Self::Memory, Self::Goal, Self::Consent, Self::Attachment, Self::Meditation, Self::Entity];

    /// The prefix of ids of this kind.
    pub(crate) const fn prefix(self) -> &'static str {
        match self {
            Self::Memory => "mem_",
            Self::Entity => "ent_",
            Self::Goal => "goal_",
            Self::Consent => "con_",
            Self::Attachment => "att_",
            Self::Meditation => "med_",
            Self::Purge => "purge_",
        }
    }

    /// The kind of a complete id.
    pub(crate) fn of_whole(id: &str) -> Option<Self> {
        let mut all = Self::OF_USERS.into_iter().chain([Self::Purge]);
        all.find(|kind| id.strip_prefix(kind.prefix()).is_some_and(|rest| rest.len() == WHOLE))
    }

    const fn list(self) -> &'static str {
        match self {
            Self::Memory => "kimberly list --wide",
            Self::Entity => "kimberly entities --wide",
            Self::Goal => "kimberly goals list --wide",
            Self::Consent => "kimberly consent list --all --wide",
            Self::Attachment => "kimberly attachments list --wide",
            Self::Meditation => "kimberly meditations --wide",
            Self::Purge => "kimberly purge list --wide",
        }
    }

    /// The last characters of an id, if that is what was typed: `a1b2c3`, `…a1b2c3` or `mem_…a1b2c3`.
    fn ending(self, typed: &str) -> Option<&str> {
        let rest = typed.strip_prefix(self.prefix()).unwrap_or(typed);
        let rest = rest.strip_prefix('…').unwrap_or(rest);
        let is_of_id = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'-');
        ((LEAST..WHOLE).contains(&rest.len()) && rest.bytes().all(is_of_id)).then_some(rest)
    }

    /// All ids of this kind that the user has, in any state.
    async fn all(self, client: &Client, user: &str) -> CliResult<Vec<String>> {
        Ok(match self {
            Self::Memory => memories(client, user).await?,
            Self::Entity => pages::entities(client, user, "").await?.into_iter().map(|entity| entity.id).collect(),
            Self::Goal => pages::goals(client, user, 0).await?.into_iter().map(|goal| goal.id).collect(),
            Self::Consent => pages::consents(client, user, true).await?.into_iter().map(|consent| consent.id).collect(),
            Self::Attachment => {
                pages::attachments(client, user, "").await?.into_iter().map(|attachment| attachment.id).collect()
            }
            Self::Meditation => pages::meditations(client, user).await?.into_iter().map(|run| run.id).collect(),
            Self::Purge => pages::purges(client).await?.into_iter().map(|purge| purge.id).collect(),
        })
    }
}

/// Resolves what was typed to a complete id.
pub(crate) async fn one(context: &Context, client: &Client, kind: Kind, typed: String) -> CliResult<String> {
    let whole = all(context, client, kind, vec![typed]).await?;
    Ok(whole.into_iter().next().unwrap_or_default())
}

/// Resolves what was typed to complete ids. Sends no request if all are complete.
pub(crate) async fn all(context: &Context, client: &Client, kind: Kind, typed: Vec<String>) -> CliResult<Vec<String>> {
    if typed.iter().all(|one| kind.ending(one).is_none()) {
        return Ok(typed);
    }
    let known = kind.all(client, &context.user).await?;
    let whole = |typed: String| match kind.ending(&typed) {
        None => Ok(typed),
        Some(ending) => the_one(ending, &known, kind.list()),
    };
    typed.into_iter().map(whole).collect()
}

/// Resolves anything that an audit may name to a complete id; other names are left unchanged.
pub(crate) async fn anything(context: &Context, client: &Client, typed: String) -> CliResult<String> {
    let mut all = Kind::OF_USERS.into_iter().chain([Kind::Purge]);
    if let Some(kind) = all.find(|kind| typed.starts_with(kind.prefix())) {
        return one(context, client, kind, typed).await;
    }
    let Some(ending) = Kind::Memory.ending(&typed) else { return Ok(typed) };
    let mut known = Vec::new();
    for kind in Kind::OF_USERS {
        known.extend(kind.all(client, &context.user).await?);
    }
    if known.iter().any(|id| id.ends_with(ending)) {
        the_one(ending, &known, "kimberly audit list --wide")
    } else {
        Ok(typed)
    }
}

/// The only id with this ending; the error lists several or says where to find ids.
pub(crate) fn the_one(ending: &str, known: &[String], list: &str) -> CliResult<String> {
    let found: Vec<&str> = known.iter().map(String::as_str).filter(|id| id.ends_with(ending)).collect();
    match found[..] {
        [] => Err(CliError::failed(format!(
            "no id of this user ends in {ending}; `{list}` shows ids, --user selects the user"
        ))),
        [id] => Ok(id.to_owned()),
        [..] => {
            let shown = found.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
            let more = found.len().checked_sub(NAMED).filter(|more| *more > 0);
            let more = more.map_or_else(String::new, |more| format!(" and {more} more"));
            Err(CliError::usage(format!("{} ids end in {ending}: {shown}{more}; type more characters", found.len())))
        }
    }
}

async fn memories(client: &Client, user: &str) -> Result<Vec<String>, tonic::Status> {
    let mut client = client.memories();
    let states = [v1::MemoryState::Active, v1::MemoryState::Archived, v1::MemoryState::Deleted];
    let states = states.map(i32::from).to_vec();
    let filter = v1::MemoryFilter { states, any_time: true, ..v1::MemoryFilter::default() };
    every(async |page_token| {
        let request = v1::ListMemoriesRequest {
            user_id: user.to_owned(),
            filter: Some(filter.clone()),
            page_size: 1_000,
            page_token,
            order: v1::ListOrder::NewestFirst.into(),
            ..v1::ListMemoriesRequest::default()
        };
        let page = client.list_memories(request).await?.into_inner();
        Ok((page.memories.into_iter().map(|memory| memory.id).collect(), page.next_page_token))
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "mem_0190f1f0-0000-7000-8000-0000001a2b3c";

    #[test]
    fn endings_are_distinguished_from_whole_ids_and_from_what_is_no_id() {
        for typed in ["1a2b3c", "…1a2b3c", "mem_…1a2b3c", "mem_1a2b3c"] {
            assert_eq!(Kind::Memory.ending(typed), Some("1a2b3c"), "{typed}");
        }
        for other in [ID, "2b3", "goal_1a2b3c", "1A2B3C", "mem_x", "", "s1"] {
            assert_eq!(Kind::Memory.ending(other), None, "{other}");
        }
        assert_eq!((Kind::of_whole(ID), Kind::of_whole("mem_1a2b3c")), (Some(Kind::Memory), None));
    }

    #[test]
    fn an_ending_of_several_ids_is_refused_with_them_and_one_of_none_with_where_they_are() {
        let known: Vec<String> = ["a1a2b3c", "b1a2b3c", "c1a2b3c", "d1a2b3c"].map(|end| format!("mem_{end}")).to_vec();
        assert_eq!(the_one("a1a2b3c", &known, "").unwrap(), "mem_a1a2b3c");
        let refused = the_one("1a2b3c", &known, "").unwrap_err();
        assert_eq!(
            refused.message(),
            "4 ids end in 1a2b3c: mem_a1a2b3c, mem_b1a2b3c, mem_c1a2b3c and 1 more; type more characters"
        );
        assert!(the_one("ffff", &known, "kimberly list").unwrap_err().message().contains("kimberly list"));
    }
}
