//! `kimberly context`

use kimberly_proto::v1;

use crate::context::Context;
use crate::error::CliResult;
use crate::filter::FilterArgs;
use crate::names::ContextPartArg;
use crate::view::{Short, table};
use crate::{input, json, names, text};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The question to answer [default: the session's last message]; `-` reads stdin
    #[arg(default_value = "", hide_default_value = true)]
    query: String,
    /// The current session
    #[arg(long, default_value = "", hide_default_value = true)]
    session: String,
    /// Maximum number of tokens [default: 2,000, or a tenth of --window]
    #[arg(long, value_name = "TOKENS", default_value_t = 0, hide_default_value = true)]
    budget: i64,
    /// The model's context window, in tokens
    #[arg(long, value_name = "TOKENS", default_value_t = 0, hide_default_value = true)]
    window: i64,
    /// Only these parts
    #[arg(long, value_enum, value_delimiter = ',', value_name = "PART")]
    part: Vec<ContextPartArg>,
    /// The model's tokens per byte [default: estimated from words]
    #[arg(long, value_name = "FACTOR")]
    tokens_per_byte: Option<f64>,
    /// Omit less relevant memories, 0 to 1 [default: fill the budget with them]
    #[arg(long, value_name = "RELEVANCE")]
    min_relevance: Option<f64>,
    /// Show which memories were included, and why
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    filter: FilterArgs,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let request = v1::GetContextRequest {
            user_id: context.user.clone(),
            session_id: self.session,
            query: input::text(self.query)?,
            budget_tokens: self.budget,
            context_window_tokens: self.window,
            parts: self.part.into_iter().map(Into::into).collect(),
            tokens_per_byte: self.tokens_per_byte,
            filter: Some(self.filter.to_proto()),
            min_relevance: self.min_relevance,
            ..Default::default()
        };
        let answer = context.connect().await?.conversations().get_context(request).await?.into_inner();
        for left_out in &answer.left_out {
            let (part, items) = (names::context_part(left_out.part), left_out.items);
            context.out.note(&format!("{items} more of {part} did not fit; increase --budget"));
        }
        context.out.answer(|| json::of(&answer), || if self.explain { explained(&answer) } else { told(&answer) })
    }
}

fn told(answer: &v1::GetContextResponse) -> String {
    if answer.text.is_empty() { "nothing to say".to_owned() } else { text::printable(&answer.text) }
}

fn explained(answer: &v1::GetContextResponse) -> String {
    let short = Short::of(answer.items.iter().map(|item| item.id.as_str()));
    let mut rows = table(&["part", "id", "why", "relevance", "tokens"]);
    for item in &answer.items {
        rows.add_row([
            names::context_part(item.part),
            short.id(&item.id).to_owned(),
            names::context_reason(item.reason).replace('_', " "),
            format!("{:.2}", item.relevance),
            (item.end_token - item.start_token).to_string(),
        ]);
    }
    let (tokens, budget) = (answer.tokens, answer.budget_tokens);
    let looked_for = if answer.query.is_empty() { "nothing".to_owned() } else { text::line(&answer.query, 120) };
    format!("{}\n{tokens} of {budget} tokens; looked for: {looked_for}", rows.trim_fmt())
}
