//! Retrieval quality on LoCoMo, through the real api.
//!
//! Each conversation is one user. `turns`: every turn is a memory, with its speaker, session and the session's time;
//! a question is scored by its evidence turns. `sessions`: every session is one memory; a question is scored by the
//! sessions of these turns. Answers and evidence are used only for scoring. Kimberly was tuned on conversations 1-5.

pub(super) mod dataset;
mod import;
pub(super) mod measure;
mod tables;
mod ways;

use futures::{StreamExt as _, TryStreamExt as _, stream};
use kimberly_proto::v1::memory_service_client::MemoryServiceClient;
use kimberly_proto::v1::{QueryMemoriesRequest, QueryMemoriesResponse};
use kimberly_tests::postgres::{Cluster, Server};
use tonic::transport::{Channel, Endpoint};

use self::dataset::{Conversation, Question};
use self::import::{Imported, Unit};
use self::measure::{DEPTH, Measures};
use crate::report::Report;
use crate::system::{Role, System};
use crate::{Options, Result};

/// Concurrent questions.
const AT_ONCE: usize = 4;

/// One question's result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answered {
    /// Index of the conversation, from 0.
    pub(crate) conversation: usize,
    /// Category of the question.
    pub(crate) category: usize,
    /// The measures.
    pub(crate) measures: Measures,
}

/// Imports, asks every question, prints the tables and records the figures. Takes seconds, so `--quick` changes
/// nothing; with `--embeddings` all retrieval methods are compared, with `--postgres` on a database.
pub(crate) async fn run(options: Options, report: &mut Report) -> Result<()> {
    if options.embeddings && options.postgres {
        return Err(
            "--embeddings reads the files of vectors itself: measure with it or with --postgres, not with both".into(),
        );
    }
    if options.embeddings {
        return ways::run(report).await;
    }
    let cluster = options.postgres.then(|| Cluster::new(false));
    let server = cluster.as_ref().map(Cluster::server);
    let settings = cluster.as_ref().zip(server.as_ref()).map(|(cluster, server)| settings(cluster, server));
    let settings: Vec<(&str, &str)> = settings.iter().flatten().map(|(key, value)| (*key, value.as_str())).collect();
    let conversations = dataset::read()?;
    let mut system = System::prepare(&settings)?;
    system.start(Role::Api).await?;
    let channel = Endpoint::from_shared(system.api_url())?.connect().await?;
    for unit in Unit::ALL {
        let mut all = Vec::new();
        for (index, conversation) in conversations.iter().enumerate() {
            let user = user(unit, index);
            let imported = import::import(&channel, unit, &user, conversation).await?;
            let by_words = async |question: &Question| Ok(ids(ask(channel.clone(), &user, &question.text).await?));
            all.extend(measured(index, conversation, &imported, by_words).await?);
        }
        tables::show(unit, &all, report);
    }
    Ok(())
}

/// Settings for a database.
fn settings(cluster: &Cluster, server: &Server<'_>) -> [(&'static str, String); 2] {
    let port = server.port();
    [("KIMBERLY_POSTGRES__URL", cluster.url(port)), ("KIMBERLY_POSTGRES__OWNER_URL", cluster.owner_url(port))]
}

/// The user of a conversation.
fn user(unit: Unit, index: usize) -> String {
    format!("locomo-{}-{}", unit.name(), index + 1)
}

/// Asks every question of a conversation and measures the returned ids, best first.
async fn measured(
    index: usize,
    conversation: &Conversation,
    imported: &Imported,
    ask: impl AsyncFn(&Question) -> Result<Vec<String>>,
) -> Result<Vec<Answered>> {
    stream::iter(&conversation.questions)
        .map(async |question| {
            let ids = ask(question).await?;
            let wanted = imported.wanted(question);
            let ranks: Vec<usize> =
                wanted.iter().filter_map(|id| ids.iter().position(|found| Some(found) == id.as_ref())).collect();
            let measures = Measures::of(&ranks, wanted.len());
            Ok(Answered { conversation: index, category: question.category, measures })
        })
        .buffered(AT_ONCE)
        .try_collect()
        .await
}

/// Asks a question like a caller.
async fn ask(channel: Channel, user: &str, question: &str) -> Result<QueryMemoriesResponse> {
    let request = QueryMemoriesRequest {
        user_id: user.to_owned(),
        query: question.to_owned(),
        top_k: i32::try_from(DEPTH)?,
        ..QueryMemoriesRequest::default()
    };
    Ok(MemoryServiceClient::new(channel).query_memories(request).await?.into_inner())
}

/// The recalled ids, best first.
fn ids(answer: QueryMemoriesResponse) -> Vec<String> {
    answer.results.into_iter().filter_map(|result| result.memory).map(|memory| memory.id).collect()
}
