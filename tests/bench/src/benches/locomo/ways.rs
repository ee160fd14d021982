//! Compares retrieval methods on the same vaults: words only, vectors only, and two combinations; and the quality
//! lost with the faster precision of the model.

use kimberly_core::UserId;
use kimberly_core::embedding::ModelKey;
use kimberly_core::ports::VectorReader as _;
use kimberly_index::IndexReader;
use kimberly_proto::internal::embedder_service_client::EmbedderServiceClient;
use kimberly_proto::internal::{EmbedRequest, Purpose};
use kimberly_proto::v1::SemanticStatus;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, Endpoint};

use super::dataset::{self, Conversation};
use super::import::{Imported, Unit, import};
use super::measure::DEPTH;
use super::{Answered, Question, measured, tables, user};
use crate::Result;
use crate::embeddings;
use crate::report::{Report, say};
use crate::system::{Role, System};
use crate::token::Token;

/// A retrieval method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Words only, without embeddings.
    Lexical,
    /// Cosine only.
    Vector,
    /// The sum of both, the default.
    Hybrid,
    /// Both, combined by reciprocal rank fusion.
    Rrf,
    /// Cosine only, with a model in 32-bit floats.
    VectorF32,
    /// The sum of words and such vectors.
    HybridF32,
}

impl Way {
    /// All methods.
    pub(crate) const ALL: [Self; 6] =
        [Self::Lexical, Self::Vector, Self::Hybrid, Self::Rrf, Self::VectorF32, Self::HybridF32];

    /// The name in metrics.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Lexical => "lexical",
            Self::Vector => "vector",
            Self::Hybrid => "hybrid",
            Self::Rrf => "rrf",
            Self::VectorF32 => "vector_f32",
            Self::HybridF32 => "hybrid_f32",
        }
    }
}

/// Vaults with all conversations.
struct Prepared {
    system: System,
    conversations: Vec<Conversation>,
    /// By unit, then by conversation.
    imported: Vec<(Unit, Vec<Imported>)>,
}

/// Imports, embeds, asks every question with every method, and reports.
pub(crate) async fn run(report: &mut Report) -> Result<()> {
    let mut found: Vec<(Unit, Way, Vec<Answered>)> = Vec::new();
    for (precision, ways) in [
        ("int8", [Way::Hybrid, Way::Vector, Way::Rrf, Way::Lexical].as_slice()),
        ("f32", [Way::HybridF32, Way::VectorF32].as_slice()),
    ] {
        let mut prepared = prepare(precision).await?;
        for way in ways {
            prepared.start_for(*way).await?;
            for (unit, imported) in &prepared.imported {
                found.push((*unit, *way, prepared.ask_all(*unit, *way, imported).await?));
            }
        }
    }
    for unit in Unit::ALL {
        let mut ways = Vec::new();
        for way in Way::ALL {
            let answered = found.iter().find(|(of, by, _)| (*of, *by) == (unit, way)).map(|(.., answered)| answered);
            ways.extend(answered.map(|answered| (way, answered.as_slice())));
        }
        tables::beside(unit, &ways, report);
    }
    Ok(())
}

async fn prepare(precision: &str) -> Result<Prepared> {
    let conversations = dataset::read()?;
    let mut settings = embeddings::settings()?;
    // Quality is measured, so every query waits for its vector.
    settings.push(("KIMBERLY_RECALL__EMBED_DEADLINE".to_owned(), "10s".to_owned()));
    settings.push(("KIMBERLY_EMBEDDER__PRECISION".to_owned(), precision.to_owned()));
    let settings: Vec<(&str, &str)> = settings.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    let mut system = System::prepare(&settings)?;
    system.start(Role::Embedder).await?;
    system.start(Role::Api).await?;
    let channel = Endpoint::from_shared(system.api_url())?.connect().await?;
    let (mut imported, mut users) = (Vec::new(), Vec::new());
    for unit in Unit::ALL {
        let mut of_unit = Vec::new();
        for (index, conversation) in conversations.iter().enumerate() {
            users.push(user(unit, index));
            of_unit.push(import(&channel, unit, &user(unit, index), conversation).await?);
        }
        imported.push((unit, of_unit));
    }
    let vectors = embeddings::embed(&channel, &users).await?;
    say(&format!("{vectors} vectors, {precision}"));
    Ok(Prepared { system, conversations, imported })
}

impl Prepared {
    /// Configures the api for a method.
    async fn start_for(&mut self, way: Way) -> Result<()> {
        let (key, value) = match way {
            Way::Hybrid | Way::Vector | Way::HybridF32 | Way::VectorF32 => return Ok(()),
            Way::Rrf => ("KIMBERLY_RECALL__FUSION", Some("rrf")),
            Way::Lexical => ("KIMBERLY_EMBEDDER__MODEL", None),
        };
        self.system.stop(Role::Api).await?;
        self.system.set(key, value);
        self.system.start(Role::Api).await?;
        Ok(())
    }

    async fn ask_all(&self, unit: Unit, way: Way, imported: &[Imported]) -> Result<Vec<Answered>> {
        let channel = Endpoint::from_shared(self.system.api_url())?.connect().await?;
        let vectors = Vectors::open(&self.system).await?;
        let mut all = Vec::new();
        for (index, (conversation, imported)) in self.conversations.iter().zip(imported).enumerate() {
            let user = user(unit, index);
            let ask = async |question: &Question| match way {
                Way::Vector | Way::VectorF32 => vectors.nearest(&user, imported, question).await,
                _ => by_api(&channel, &user, way, question).await,
            };
            all.extend(measured(index, conversation, imported, ask).await?);
        }
        Ok(all)
    }
}

/// Asks like a caller; fails if vectors were not used as expected.
async fn by_api(channel: &Channel, user: &str, way: Way, question: &Question) -> Result<Vec<String>> {
    let answer = super::ask(channel.clone(), user, &question.text).await?;
    let expected = if way == Way::Lexical { SemanticStatus::Off } else { SemanticStatus::Used };
    // A few questions consist only of quoted words, for which vectors are not requested.
    if ![expected, SemanticStatus::NotNeeded].contains(&answer.semantic()) {
        return Err(format!("a query was answered with {}", answer.semantic().as_str_name()).into());
    }
    Ok(super::ids(answer))
}

/// The indices, and the model that embeds questions.
struct Vectors {
    index: IndexReader,
    embedder: EmbedderServiceClient<InterceptedService<Channel, Token>>,
}

impl Vectors {
    async fn open(system: &System) -> Result<Self> {
        let index = IndexReader::new(system.data_dir(), kimberly_index::Options::default());
        let channel = Endpoint::from_shared(system.url(Role::Embedder))?.connect().await?;
        Ok(Self { index, embedder: EmbedderServiceClient::with_interceptor(channel, Token::of(system)?) })
    }

    /// Memories by the cosine of their nearest chunk.
    async fn nearest(&self, user: &str, imported: &Imported, question: &Question) -> Result<Vec<String>> {
        let (texts, purpose) = (vec![question.text.clone()], Purpose::Query.into());
        let request = EmbedRequest { texts, purpose, model: String::new() };
        let answer = self.embedder.clone().embed(request).await?.into_inner();
        let key = answer.model.ok_or("the embedder names no model")?;
        let key = ModelKey::new(&key.id, &key.version, key.dimension)?;
        let vector = answer.vectors.into_iter().next().ok_or("the embedder made no vector")?.values;
        let hits = self.index.nearest(&UserId::parse(user)?, &key, &vector, DEPTH)?;
        Ok(hits.iter().filter_map(|hit| imported.memory(hit.seq)).collect())
    }
}
