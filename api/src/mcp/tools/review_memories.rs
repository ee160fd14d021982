//! Lists reviews that wait for a person, and executes the person's decision.

use std::fmt::Write as _;

use kimberly_core::bounds as b;
use kimberly_core::context::fence;
use kimberly_core::reviews::{ReviewChange, ReviewKind};
use kimberly_proto::v1;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tonic::Status;

use super::item::{Item, as_text};
use super::named::Named;
use super::{Does, Tool, invalid, told};
use crate::convert::enums::WireEnum as _;
use crate::mcp::answer::Answer;
use crate::mcp::call::Call;
use crate::mcp::schema::{Schema, Schemas, described, of_names};

/// Default number of items per page.
const PAGE: i32 = 10;
/// Maximum bytes of each content in a response.
const CONTENT_BYTES: usize = 500;
/// Maximum memories per item in a response. A promotion may have a hundred.
const FIRST: usize = 10;

pub(super) struct ReviewMemories;

#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum Action {
    #[default]
    List,
    Apply,
    Dismiss,
    Undo,
}

impl Schema for Action {
    fn schema(schemas: &mut Schemas) -> Value {
        schemas.named("Action", of_names([Self::List, Self::Apply, Self::Dismiss, Self::Undo]))
    }
}

described! {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(super) struct Input {
        /// The action: list open items, or apply, dismiss or undo one.
        #[serde(default = "Action::default")]
        action: Action,
        /// The item's id from the list; omitted only to list.
        #[serde(default)]
        id: String where length(0..=b::MAX_ID_BYTES),
        /// The change to apply, if not the proposed one.
        choice: Option<Named<ReviewChange>>,
        /// Only items of these kinds; empty for all that wait. `replaced` lists what ended by itself, the latest first.
        #[serde(default)]
        kinds: Vec<Named<ReviewKind>> where length(0..=ReviewKind::ALL.len()),
        /// At most this many items.
        #[serde(default = "page")]
        page_size: i32 where default(page()) range(1..=b::MAX_PAGE_SIZE),
        /// Where to go on: `next_page_token` of the page before, with the same kinds.
        #[serde(default)]
        page_token: String where length(0..=b::MAX_PAGE_TOKEN_BYTES),
    }

    #[derive(Serialize)]
    pub(super) struct Output {
        /// The open items; empty unless they were listed.
        reviews: Vec<Review>,
        /// Where the next page begins; empty on the last one.
        next_page_token: String,
        /// Whether something was applied, dismissed or undone.
        changed: bool,
        /// Whether undo takes back what was applied.
        undoable: bool,
    }

    #[derive(Serialize)]
    struct Review {
        /// The item's id, which apply, dismiss and undo take.
        id: String,
        /// Why it waits.
        reason: String,
        /// The change that `apply` makes unless another choice is named.
        proposes: Option<Named<ReviewChange>>,
        /// All choices.
        choices: Vec<Named<ReviewChange>>,
        /// When it arose.
        arose_at: String,
        /// The text of the record that `promote` or `merge` creates, cut after 500 bytes; empty for other items.
        makes: String,
        /// The memories; of two, the first and the second of `keep_first` and `keep_second`, of many the first 10.
        memories: Vec<Item>,
    }
}

fn page() -> i32 {
    PAGE
}

impl Tool for ReviewMemories {
    const NAME: &'static str = "review_memories";
    const TITLE: &'static str = "Review memories";
    const DESCRIPTION: &'static str = "List decisions for the person: memories that contradict each other, say the \
        same, are uncertain, clutter, or may become another. Of kind `replaced`: what ended by itself; applying \
        lets the first hold again. Show an item to the person, then apply its proposal or another choice, or dismiss \
        it; undo reverts either. Never decide without asking.";
    const DOES: Does = Does::Changes;
    type Input = Input;
    type Output = Output;

    async fn run(call: &Call, input: Input) -> Result<Answer<Output>, Status> {
        let (user_id, id) = (call.user.clone(), input.id.clone());
        if !matches!(input.action, Action::List) && id.is_empty() {
            return Err(invalid("id", "is empty; name an item from the list"));
        }
        match input.action {
            Action::List => list(call, input).await,
            Action::Apply => {
                let choice = input.choice.map_or(0, |choice| choice.0.number());
                let request = v1::ApplyReviewRequest { user_id, id, choice, request_id: String::new() };
                let undoable = call.reviews().apply_review(call.request(request)).await?.into_inner().undoable;
                let text = if undoable { "Applied; undo reverts it." } else { "Applied." };
                Ok(done(text, true, undoable))
            }
            Action::Dismiss => {
                let request = call.request(v1::DismissReviewRequest { user_id, id });
                let changed = call.reviews().dismiss_review(request).await?.into_inner().changed;
                Ok(done("Dismissed; undo reverts it.", changed, true))
            }
            Action::Undo => {
                let request = call.request(v1::UndoReviewRequest { user_id, id });
                let changed = call.reviews().undo_review(request).await?.into_inner().changed;
                Ok(done(if changed { "Undone." } else { "There was nothing to undo." }, changed, false))
            }
        }
    }
}

fn done(text: &str, changed: bool, undoable: bool) -> Answer<Output> {
    let output = Output { reviews: Vec::new(), next_page_token: String::new(), changed, undoable };
    Answer::new(text.to_owned(), output)
}

async fn list(call: &Call, input: Input) -> Result<Answer<Output>, Status> {
    let request = v1::ListReviewsRequest {
        user_id: call.user.clone(),
        kinds: input.kinds.into_iter().map(|kind| kind.0.number()).collect(),
        page_size: input.page_size,
        page_token: input.page_token,
    };
    let answer = call.reviews().list_reviews(call.request(request)).await?.into_inner();
    let reviews: Vec<Review> = answer.reviews.into_iter().map(Review::of).collect();
    let next_page_token = answer.next_page_token;
    let mut text = match reviews.len() {
        0 => "Nothing waits there.".to_owned(),
        n => reviews.iter().fold(format!("{n} wait."), |text, review| text + "\n\n" + &review.text()),
    };
    if !next_page_token.is_empty() {
        let _ = write!(text, "\nThere may be more: page_token {next_page_token}.");
    }
    Ok(Answer::new(text, Output { reviews, next_page_token, changed: false, undoable: false }))
}

impl Review {
    fn of(review: v1::Review) -> Self {
        Self {
            proposes: Named::of(review.proposes),
            choices: review.changes.iter().filter_map(|change| Named::of(*change)).collect(),
            arose_at: told(review.arose_at),
            memories: review.memories.into_iter().take(FIRST).map(|memory| Item::of(memory, CONTENT_BYTES)).collect(),
            id: review.id,
            reason: review.reason,
            makes: review.makes[..review.makes.floor_char_boundary(CONTENT_BYTES)].to_owned(),
        }
    }

    fn text(&self) -> String {
        let name = |choice: &Named<ReviewChange>| choice.0.name();
        let proposes = self.proposes.as_ref().map(name).unwrap_or_default();
        let choices = self.choices.iter().map(name).collect::<Vec<_>>().join(", ");
        let reason = fence::inline(&self.reason);
        let text = as_text(&format!("{}: {reason}; proposes {proposes}, choices {choices}.", self.id), &self.memories);
        if self.makes.is_empty() { text } else { format!("{text}\nIt makes:\n{}", fence::quoted(&self.makes)) }
    }
}
