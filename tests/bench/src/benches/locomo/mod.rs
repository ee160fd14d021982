//! Retrieval quality on LoCoMo, through the real api.
//!
//! Each conversation is one user. `turns`: every turn is a memory, with its speaker, session and the session's time; a
//! question counts by the turns that answer it. `sessions`: every session is one memory; a question counts by the sessions
//! of those turns. Answers and evidence are looked at only to count. What Kimberly does was tuned on conversations 1-5.

mod dataset;
mod import;
mod measure;
mod tables;

use futures::{StreamExt as _, TryStreamExt as _, stream};
use kimberly_proto::v1::QueryMemoriesRequest;
use kimberly_proto::v1::memory_service_client::MemoryServiceClient;
use tonic::transport::{Channel, Endpoint};

use self::dataset::Conversation;
use self::import::Unit;
use self::measure::{DEPTH, Measures};
use crate::report::Report;
use crate::system::{Role, System};
use crate::{Options, Result};

/// Questions asked at once.
const AT_ONCE: usize = 4;

/// One question's result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answered {
    /// Index of the conversation, from 0.
    pub(crate) conversation: usize,
    /// Category of the question.
    pub(crate) category: usize,
    /// How well it was answered.
    pub(crate) measures: Measures,
}

/// Imports, asks every question, prints the tables and keeps the figures. It takes seconds, so `--quick` changes nothing.
pub(crate) async fn run(_options: Options, report: &mut Report) -> Result<()> {
    let conversations = dataset::read()?;
    let mut system = System::prepare(&[])?;
    system.start(Role::Api).await?;
    let channel = Endpoint::from_shared(system.api_url())?.connect().await?;
    for unit in [Unit::Turns, Unit::Sessions] {
        let mut all = Vec::new();
        for (index, conversation) in conversations.iter().enumerate() {
            all.extend(measure_conversation(&channel, unit, index, conversation).await?);
        }
        tables::show(unit, &all, report);
    }
    Ok(())
}

async fn measure_conversation(
    channel: &Channel,
    unit: Unit,
    index: usize,
    conversation: &Conversation,
) -> Result<Vec<Answered>> {
    let user = format!("locomo-{}-{}", unit.name(), index + 1);
    let imported = import::import(channel, unit, &user, conversation).await?;
    stream::iter(&conversation.questions)
        .map(|question| {
            let (user, imported) = (&user, &imported);
            async move {
                let ids = ask(channel.clone(), user, &question.text).await?;
                let wanted = imported.wanted(question);
                let ranks: Vec<usize> =
                    wanted.iter().filter_map(|id| ids.iter().position(|found| Some(found) == id.as_ref())).collect();
                let measures = Measures::of(&ranks, wanted.len());
                Ok(Answered { conversation: index, category: question.category, measures })
            }
        })
        .buffered(AT_ONCE)
        .try_collect()
        .await
}

/// Ids of what is recalled, best first.
async fn ask(channel: Channel, user: &str, question: &str) -> Result<Vec<String>> {
    let request = QueryMemoriesRequest {
        user_id: user.to_owned(),
        query: question.to_owned(),
        top_k: i32::try_from(DEPTH)?,
        ..QueryMemoriesRequest::default()
    };
    let answer = MemoryServiceClient::new(channel).query_memories(request).await?.into_inner();
    Ok(answer.results.into_iter().filter_map(|result| result.memory).map(|memory| memory.id).collect())
}
