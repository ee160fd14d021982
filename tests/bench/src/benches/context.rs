//! How much of the evidence for questions a context contains, within a budget of tokens: two friends (LoCoMo) and a
//! person with an assistant, whose conversations were observed, asked in a new session. Compared with the last turns
//! that fit, and with recalled turns, best first, until the budget is full; both with only their speaker added.
//!
//! The domain and the real store in one process. Evidence is used only for counting.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use kimberly_core::context::Estimator;
use kimberly_core::conversation::{Message, ObservedMessage};
use kimberly_core::memory::{DraftLimits, Role};
use kimberly_core::ports::NoObserver;
use kimberly_core::settings::{Origin, ServerDefaults};
use kimberly_core::usecases::{App, ContextInput, ObserveInput, QueryInput};
use kimberly_core::{MemoryId, Timestamp, UserId};
use kimberly_store::{SqliteOptions, SqliteStore};
use kimberly_tests::fakes::{CountingIds, FakeClock};

use super::locomo::dataset::{Conversation, Question, Turn};
use super::recall_quality::sets::{self, Part, Set};
use crate::report::{Report, Table, say};
use crate::{Options, Result};

/// 2026-11-20 at noon UTC, for reproducible results.
const NOW: Timestamp = Timestamp(1_795_176_000_000_000);
const BUDGETS: [usize; 3] = [1_000, 2_000, 4_000];
const WAYS: [&str; 3] = ["context", "last_turns", "top_k"];
/// Messages per call.
const AT_ONCE: usize = 1_000;

/// The result of one method: its turns with their tokens, and the total tokens.
struct Inside {
    turns: Vec<(usize, usize)>,
    tokens: usize,
}

/// The measures of one method, summed over questions.
#[derive(Clone, Copy, Default)]
struct Sums {
    questions: f64,
    evidence: f64,
    noise: f64,
    tokens: f64,
}

struct Vault {
    app: App,
    user: UserId,
    turns: HashMap<MemoryId, usize>,
}

/// Observes every conversation and asks every question.
pub(crate) async fn run(options: Options, report: &mut Report) -> Result<()> {
    let headings = ["", "tokens", "way", "evidence inside", "tokens that are no evidence", "tokens used"];
    let mut table = Table::new(&headings);
    for set in sets::read()?.into_iter().filter(|set| ["locomo", "chats"].contains(&set.name)) {
        for part in Part::ALL {
            let sums = of_part(&set, part, options.quick).await?;
            for (budget, sums) in BUDGETS.iter().zip(sums) {
                for (way, sums) in WAYS.iter().zip(sums) {
                    let mean = |sum: f64| sum / sums.questions.max(1.0);
                    let [evidence, noise, tokens] = [sums.evidence, sums.noise, sums.tokens].map(mean);
                    let name = format!("{}.{}.{budget}.{way}", set.name, part.name());
                    report.set(format!("{name}.evidence"), evidence);
                    report.set(format!("{name}.noise"), noise);
                    let title = [format!("{} {}", set.name, part.name()), budget.to_string(), (*way).to_owned()];
                    let cells = [format!("{evidence:.3}"), format!("{noise:.3}"), format!("{tokens:.0}")];
                    table.row(title.into_iter().chain(cells));
                }
            }
        }
    }
    say(&format!("\n{}", table.text()));
    Ok(())
}

async fn of_part(set: &Set, part: Part, quick: bool) -> Result<[[Sums; WAYS.len()]; BUDGETS.len()]> {
    let mut sums = [[Sums::default(); WAYS.len()]; BUDGETS.len()];
    for (index, conversation) in set.of_part(part) {
        let folder = tempfile::tempdir()?;
        let vault = Vault::of(folder.path(), index, conversation).await?;
        let questions = conversation.questions.iter().filter(|question| question.evidence.iter().any(Option::is_some));
        for question in questions.take(if quick { 20 } else { usize::MAX }) {
            for (sums, budget) in sums.iter_mut().zip(BUDGETS) {
                let found = [
                    vault.context(question, budget).await?,
                    last_turns(&conversation.turns, budget),
                    vault.top_k(&conversation.turns, question, budget).await?,
                ];
                for (sums, inside) in sums.iter_mut().zip(found) {
                    sums.add(question, &inside);
                }
            }
        }
    }
    Ok(sums)
}

impl Vault {
    async fn of(folder: &std::path::Path, number: usize, conversation: &Conversation) -> Result<Self> {
        let clock = Arc::new(FakeClock::at(NOW));
        let store = SqliteStore::open(SqliteOptions::new(folder), clock.clone()).await?;
        let mut defaults =
            ServerDefaults { draft_limits: DraftLimits { max_content_bytes: 1_000_000 }, ..ServerDefaults::default() };
        defaults.long_term_quota_bytes = (1 << 30, Origin::Config);
        let ids = Arc::new(CountingIds::default());
        let app = App::new(store.vaults(), clock, ids, Arc::new(defaults), Arc::new(NoObserver));
        let user = UserId::parse(&format!("user-{number}"))?;
        let first = conversation.turns.first().map(|turn| turn.speaker.clone()).unwrap_or_default();
        let mut turns = HashMap::new();
        let mut index = 0;
        for session in conversation.turns.chunk_by(|a, b| a.session == b.session) {
            for piece in session.chunks(AT_ONCE) {
                let input = ObserveInput {
                    session_id: format!("session-{}", piece[0].session),
                    messages: piece.iter().map(|turn| message(turn, &first)).collect(),
                    ..ObserveInput::default()
                };
                for outcome in app.observe(&user, input).await?.messages {
                    if let ObservedMessage::Stored { id, .. } = outcome {
                        turns.insert(id, index);
                    }
                    index += 1;
                }
            }
        }
        Ok(Self { app, user, turns })
    }

    async fn context(&self, question: &Question, budget: usize) -> Result<Inside> {
        let budget_tokens = i64::try_from(budget)?;
        let input = ContextInput { query: question.text.clone(), budget_tokens, ..ContextInput::default() };
        let context = self.app.get_context(&self.user, input).await?.context;
        let inside = context
            .taken
            .iter()
            .filter_map(|taken| Some((*self.turns.get(&taken.item.memory()?)?, taken.tokens.len())));
        Ok(Inside { turns: inside.collect(), tokens: context.tokens })
    }

    async fn top_k(&self, turns: &[Turn], question: &Question, budget: usize) -> Result<Inside> {
        let input = QueryInput { query: question.text.clone(), top_k: 100, ..QueryInput::default() };
        let found = self.app.query_memories(&self.user, input).await?.results;
        let found = found.iter().filter_map(|one| self.turns.get(&one.memory.id).copied());
        Ok(fitting(found.map(|index| (index, &turns[index])), budget))
    }
}

fn message(turn: &Turn, first: &str) -> Message {
    let role = match turn.speaker.as_str() {
        "assistant" => Role::Assistant,
        "user" => Role::User,
        name if name == first => Role::User,
        _ => Role::Assistant,
    };
    let seconds = turn.session_at + i64::try_from(turn.position).unwrap_or(0);
    Message {
        id: String::new(),
        role,
        content: turn.text.clone(),
        name: turn.speaker.clone(),
        at: Some(Timestamp(seconds * 1_000_000)),
        tool: String::new(),
        tool_call_id: String::new(),
        attributes: None,
        problems: Vec::new(),
    }
}

fn last_turns(turns: &[Turn], budget: usize) -> Inside {
    fitting(turns.iter().enumerate().rev(), budget)
}

/// Turns in order until one does not fit.
fn fitting<'t>(turns: impl Iterator<Item = (usize, &'t Turn)>, budget: usize) -> Inside {
    let mut inside = Inside { turns: Vec::new(), tokens: 0 };
    for (index, turn) in turns {
        let tokens = Estimator::Words.tokens(&format!("{}: {}\n", turn.speaker, turn.text));
        if inside.tokens + tokens > budget {
            break;
        }
        inside.tokens += tokens;
        inside.turns.push((index, tokens));
    }
    inside
}

impl Sums {
    #[expect(clippy::cast_precision_loss, reason = "counts of turns and tokens")]
    fn add(&mut self, question: &Question, inside: &Inside) {
        let evidence: HashSet<usize> = question.evidence.iter().flatten().copied().collect();
        let (mut found, mut useful) = (HashSet::new(), 0);
        for (turn, tokens) in inside.turns.iter().filter(|(turn, _)| evidence.contains(turn)) {
            found.insert(*turn);
            useful += tokens;
        }
        self.questions += 1.0;
        self.evidence += found.len() as f64 / question.evidence.len() as f64;
        self.noise += if inside.tokens == 0 { 0.0 } else { 1.0 - useful as f64 / inside.tokens as f64 };
        self.tokens += inside.tokens as f64;
    }
}
