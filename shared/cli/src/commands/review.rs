//! `kimberly review`: proposals that wait for a person's decision.

use clap::Subcommand;
use kimberly_proto::v1;

use crate::client::Client;
use crate::context::Context;
use crate::error::CliResult;
use crate::names::{ReviewChangeArg, ReviewKindArg};
use crate::pages::every;
use crate::{ids, json, names, view};

/// Minimum length of the part after the kind in a complete id, in characters.
const UUID: usize = 36;
/// The kind of what ended by itself, as ids begin.
const REPLACED: &str = "replaced";
/// Items per page.
const PAGE: i32 = 1_000;

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
    /// Only this kind; several times for several [default: all that wait; `replaced` shows what ended by itself]
    #[arg(long = "kind", value_name = "KIND")]
    kinds: Vec<ReviewKindArg>,
    /// At most this many, 1 to 1,000
    #[arg(short = 'n', long, default_value_t = 20)]
    limit: i32,
    /// The next page's token, printed with the previous page
    #[arg(long, value_name = "TOKEN", default_value = "", hide_default_value = true)]
    page: String,
}

#[derive(Subcommand)]
enum Command {
    /// Apply the change that an item proposes, or another one
    Apply {
        /// The item's id, as the list shows it
        id: String,
        /// The change to apply [default: the proposed one]
        #[arg(long, value_name = "CHANGE")]
        choice: Option<ReviewChangeArg>,
    },
    /// Hide an item until one of its memories changes
    Dismiss {
        /// The item's id, as the list shows it
        id: String,
    },
    /// Undo a dismissal or an applied change
    Undo {
        /// The item's whole id, as `apply` and `dismiss` print it
        id: String,
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

/// Lists proposed merges.
pub(super) async fn merges(context: &Context) -> CliResult {
    List { kinds: ReviewKindArg::of(v1::ReviewKind::Merge).into_iter().collect(), limit: 20, page: String::new() }
        .run(context)
        .await
}

impl List {
    async fn run(self, context: &Context) -> CliResult {
        let mut request = v1::ListReviewsRequest {
            user_id: context.user.clone(),
            kinds: self.kinds.into_iter().map(Into::into).collect(),
            page_size: self.limit,
            page_token: self.page,
        };
        let client = context.connect().await?;
        // A page of a large vault may be empty although others follow.
        let answer = loop {
            let answer = client.reviews().list_reviews(request.clone()).await?.into_inner();
            if !answer.reviews.is_empty() || answer.next_page_token.is_empty() {
                break answer;
            }
            request.page_token = answer.next_page_token;
        };
        let none = || format!("no open decisions of user {}", context.user);
        context.out.answer(
            || json::of(&answer),
            || if answer.reviews.is_empty() { none() } else { view::reviews(&answer.reviews) },
        )?;
        if !answer.next_page_token.is_empty() {
            context.out.note(&format!("there may be more: --page {}", answer.next_page_token));
        }
        Ok(())
    }
}

impl Command {
    async fn run(self, context: &Context) -> CliResult {
        let (client, user_id) = (context.connect().await?, context.user.clone());
        match self {
            Self::Apply { id, choice } => {
                let id = whole(context, &client, id).await?;
                let choice = choice.map_or(0, Into::into);
                let request = v1::ApplyReviewRequest { user_id, id: id.clone(), choice, request_id: String::new() };
                let answer = client.reviews().apply_review(request).await?.into_inner();
                context.out.answer(|| json::of(&answer), || applied(&answer, &id))
            }
            Self::Dismiss { id } => {
                let id = whole(context, &client, id).await?;
                let request = v1::DismissReviewRequest { user_id, id: id.clone() };
                let answer = client.reviews().dismiss_review(request).await?.into_inner();
                context.out.answer(|| json::of(&answer), || format!("dismissed\n{}", back(&id)))
            }
            Self::Undo { id } => {
                let answer = client.reviews().undo_review(v1::UndoReviewRequest { user_id, id }).await?.into_inner();
                let said = if answer.changed { "undone" } else { "it has no decision to undo" };
                context.out.answer(|| json::of(&answer), || said.to_owned())
            }
        }
    }
}

fn applied(answer: &v1::ApplyReviewResponse, id: &str) -> String {
    let what = format!("{} {}", names::review_change(answer.applied), answer.changed_id);
    let after = if answer.undoable { back(id) } else { "this stays".to_owned() };
    format!("{}\n{after}", what.trim_end())
}

fn back(id: &str) -> String {
    format!("undo: kimberly review undo {id}")
}

/// Resolves what was typed to a complete id: `KIND_` and the end of an id, the end alone, or the complete id.
async fn whole(context: &Context, client: &Client, typed: String) -> CliResult<String> {
    let (kind, end) = typed.split_once('_').unwrap_or(("", &typed));
    if end.len() >= UUID {
        return Ok(typed);
    }
    let kinds = ReviewKindArg::of(v1::ReviewKind::Replaced).filter(|_| kind == REPLACED);
    let kinds = kinds.into_iter().map(Into::into).collect();
    let all = of(client, &context.user, kinds).await?.into_iter().map(|review| review.id);
    let known: Vec<String> = all.filter(|id| id.starts_with(kind)).collect();
    ids::the_one(end, &known, "kimberly review --wide")
}

/// All items of a user, of these kinds or of those that wait.
async fn of(client: &Client, user: &str, kinds: Vec<i32>) -> CliResult<Vec<v1::Review>> {
    let all = every(async |page_token| {
        let (user_id, kinds) = (user.to_owned(), kinds.clone());
        let request = v1::ListReviewsRequest { user_id, kinds, page_size: PAGE, page_token };
        let page = client.reviews().list_reviews(request).await?.into_inner();
        Ok((page.reviews, page.next_page_token))
    });
    Ok(all.await?)
}
