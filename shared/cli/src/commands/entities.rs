//! `kimberly entities`: the people, places and things that memories are about.

use clap::Subcommand;
use kimberly_proto::v1;

use crate::client::Client;
use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::ids::Kind;
use crate::names::EntityTypeArg;
use crate::pages;
use crate::{ids, json, view};

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(flatten)]
    list: List,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(clap::Args)]
struct List {
    /// Only entities whose name contains this
    #[arg(long, default_value = "")]
    search: String,
    /// Only this type; several times for several
    #[arg(long = "type", value_name = "TYPE")]
    types: Vec<EntityTypeArg>,
    /// Only of memories in this namespace; several times for several
    #[arg(long)]
    namespace: Vec<String>,
    /// At most this many, 1 to 1,000
    #[arg(short = 'n', long, default_value_t = 50)]
    limit: i32,
}

#[derive(Subcommand)]
enum Command {
    /// Show an entity with the memories that mention it
    Show {
        /// Its id or name
        entity: String,
        /// At most this many mentions, 1 to 1,000
        #[arg(short = 'n', long, default_value_t = 20)]
        limit: i32,
    },
    /// State that two names mean the same entity
    Merge {
        /// The first, by id or name
        entity: String,
        /// The second, by id or name
        other: String,
        /// Retract this statement
        #[arg(long)]
        undo: bool,
    },
    /// State that two names mean different entities
    Split {
        /// The id of the first name; `show --json` shows ids of names
        entity: String,
        /// The id of the second name
        other: String,
        /// Retract this statement
        #[arg(long)]
        undo: bool,
    },
    /// Rename an entity
    Rename {
        /// Its id or current name
        entity: String,
        /// Its new name; omitted with --undo
        #[arg(required_unless_present = "undo")]
        name: Option<String>,
        /// Retract the statement
        #[arg(long)]
        undo: bool,
    },
    /// State that a name is no entity
    Dismiss {
        /// Its id or name; with --undo the id that was printed
        entity: String,
        /// Retract the statement
        #[arg(long)]
        undo: bool,
    },
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        match self.command {
            None => self.list.run(context).await,
            Some(command) => command.run(context).await,
        }
    }
}

impl List {
    async fn run(self, context: &Context) -> CliResult {
        let request = v1::ListEntitiesRequest {
            user_id: context.user.clone(),
            search: self.search,
            types: self.types.into_iter().map(Into::into).collect(),
            namespaces: self.namespace,
            page_size: self.limit,
            page_token: String::new(),
        };
        let answer = context.connect().await?.graph().list_entities(request).await?.into_inner();
        context.out.answer(
            || json::of(&answer),
            || {
                if answer.entities.is_empty() {
                    format!("no entities of user {}; `kimberly meditate` finds them in memories", context.user)
                } else {
                    view::entities(&answer.entities)
                }
            },
        )
    }
}

impl Command {
    /// Shows an entity, makes a statement about entities, or retracts one.
    async fn run(self, context: &Context) -> CliResult {
        let (client, user_id) = (context.connect().await?, context.user.clone());
        let mut graph = client.graph();
        let (changed, id, undo) = match self {
            Self::Show { entity, limit } => return show(context, &client, entity, limit).await,
            Self::Merge { entity, other, undo } => {
                let (id, other_id) = (one(context, &client, entity).await?, one(context, &client, other).await?);
                let request = v1::MergeEntitiesRequest { user_id, id: id.clone(), other_id, undo };
                (graph.merge_entities(request).await?.into_inner().changed, id, undo)
            }
            Self::Split { entity, other, undo } => {
                let (id, other_id) = (one(context, &client, entity).await?, one(context, &client, other).await?);
                let request = v1::SplitEntityRequest { user_id, id: id.clone(), other_id, undo };
                (graph.split_entity(request).await?.into_inner().changed, id, undo)
            }
            Self::Rename { entity, name, undo } => {
                let id = one(context, &client, entity).await?;
                let name = name.unwrap_or_default();
                let request = v1::RenameEntityRequest { user_id, id: id.clone(), name, undo };
                (graph.rename_entity(request).await?.into_inner().changed, id, undo)
            }
            Self::Dismiss { entity, undo } => {
                let id = one(context, &client, entity).await?;
                let request = v1::DismissEntityRequest { user_id, id: id.clone(), undo };
                (graph.dismiss_entity(request).await?.into_inner().changed, id, undo)
            }
        };
        let answer = v1::MergeEntitiesResponse { changed };
        context.out.answer(
            || json::of(&answer),
            || match (changed, undo) {
                (true, false) => format!("done; to undo it, repeat the command with --undo and {id}"),
                (true, true) => "taken back".to_owned(),
                (false, _) => "nothing to change: that is the case already".to_owned(),
            },
        )
    }
}

async fn show(context: &Context, client: &Client, entity: String, limit: i32) -> CliResult {
    let id = one(context, client, entity).await?;
    let request = v1::GetEntityRequest { user_id: context.user.clone(), id, limit };
    let answer = client.graph().get_entity(request).await?.into_inner();
    context.out.answer(|| json::of(&answer), || view::entity(&answer))
}

/// Resolves what was typed, an entity's name or an id, to an id.
pub(crate) async fn one(context: &Context, client: &Client, typed: String) -> CliResult<String> {
    if typed.starts_with(Kind::Entity.prefix()) {
        return ids::one(context, client, Kind::Entity, typed).await;
    }
    let called = |entity: &v1::Entity| {
        let wanted = typed.to_lowercase();
        entity.name.to_lowercase() == wanted || entity.aliases.iter().any(|alias| alias.to_lowercase() == wanted)
    };
    let found = pages::entities(client, &context.user, &typed).await?;
    let mut found = found.into_iter().filter(called);
    match (found.next(), found.next()) {
        (Some(entity), None) => name_of(context, client, entity, &typed).await,
        (Some(_), Some(_)) => {
            Err(CliError::usage(format!("several are called {typed}; `kimberly entities --search` shows their ids")))
        }
        (None, _) => ids::one(context, client, Kind::Entity, typed).await,
    }
}

/// The id of an entity's name; the entity's own id if a person gave it that name.
async fn name_of(context: &Context, client: &Client, entity: v1::Entity, name: &str) -> CliResult<String> {
    let request = v1::GetEntityRequest { user_id: context.user.clone(), id: entity.id.clone(), limit: 1 };
    let names = client.graph().get_entity(request).await?.into_inner().names;
    let same = |one: &v1::EntityName| one.text.to_lowercase() == name.to_lowercase();
    Ok(names.into_iter().find(same).map_or(entity.id, |name| name.id))
}
