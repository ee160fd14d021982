//! Vectors of texts, computed by the real embedder and cached in `target/recall-quality` by model and text: a second
//! run computes none.

use std::collections::HashMap;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use kimberly_core::embedding::{ModelKey, text::fingerprint};
use kimberly_core::ports::{BoxFuture, DocumentEmbedder, NoVector, NoVectors, QueryEmbedder};
use kimberly_proto::internal::embedder_service_client::EmbedderServiceClient;
use kimberly_proto::internal::{DescribeModelsRequest, EmbedRequest, Purpose};
use tokio::sync::Mutex;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, Endpoint};

use crate::Result;
use crate::embeddings;
use crate::report::checkout;
use crate::system::{Role, System};
use crate::token::Token;

/// Texts per request.
const AT_ONCE: usize = 64;
/// Bytes of a text's fingerprint, and of each number of its vector.
const KEY: usize = 8;
const NUMBER: usize = 4;

type Vector = Arc<[f32]>;

/// An embedder with a cache.
pub(super) struct Embedder {
    model: ModelKey,
    client: EmbedderServiceClient<InterceptedService<Channel, Token>>,
    known: Mutex<Known>,
    _system: System,
}

/// The cached vectors, in memory and in their file.
struct Known {
    vectors: HashMap<u64, Vector>,
    file: File,
}

impl Embedder {
    /// Starts the embedder with the benchmarks' model. Fails if the model is missing.
    pub(super) async fn start() -> Result<Self> {
        let settings = embeddings::settings()?;
        let settings: Vec<(&str, &str)> = settings.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        let mut system = System::prepare(&settings)?;
        system.start(Role::Embedder).await?;
        let channel = Endpoint::from_shared(system.url(Role::Embedder))?.connect().await?;
        let mut client = EmbedderServiceClient::with_interceptor(channel, Token::of(&system)?);
        let loaded = client.describe_models(DescribeModelsRequest {}).await?.into_inner().models;
        let key = loaded.into_iter().next().and_then(|model| model.key).ok_or("the embedder names no model")?;
        let model = ModelKey::new(&key.id, &key.version, key.dimension)?;
        let folder = checkout().join("target/recall-quality");
        std::fs::create_dir_all(&folder)?;
        let path = folder.join(format!("{}-{}.vectors", key.id, key.version));
        let known = Mutex::new(Known::open(&path, usize::try_from(key.dimension)?)?);
        Ok(Self { model, client, known, _system: system })
    }

    /// The vectors of texts, in order.
    async fn vectors(&self, purpose: Purpose, texts: &[String]) -> Result<Vec<Vector>> {
        let keys: Vec<u64> =
            texts.iter().map(|text| fingerprint(&[purpose.as_str_name().to_owned(), text.clone()])).collect();
        let mut known = self.known.lock().await;
        let new: Vec<(u64, &String)> =
            keys.iter().copied().zip(texts).filter(|(key, _)| !known.vectors.contains_key(key)).collect();
        for some in new.chunks(AT_ONCE) {
            let texts = some.iter().map(|(_, text)| (*text).clone()).collect();
            let request = EmbedRequest { texts, purpose: purpose.into(), model: String::new() };
            let made = self.client.clone().embed(request).await?.into_inner().vectors;
            for ((key, _), vector) in some.iter().zip(made) {
                known.insert(*key, vector.values)?;
            }
        }
        keys.iter().map(|key| Ok(Arc::clone(known.vectors.get(key).ok_or("a vector is missing")?))).collect()
    }
}

impl Known {
    /// Opens or creates the cache file. A truncated last entry is recomputed.
    fn open(path: &Path, dimension: usize) -> Result<Self> {
        let file = File::options().create(true).append(true).read(true).open(path)?;
        let (bytes, record) = (std::fs::read(path)?, KEY + dimension * NUMBER);
        let whole = bytes.len() - bytes.len() % record;
        file.set_len(u64::try_from(whole)?)?;
        let read = |record: &[u8]| {
            let (key, numbers) = record.split_first_chunk::<KEY>()?;
            let (numbers, _) = numbers.as_chunks::<NUMBER>();
            Some((u64::from_le_bytes(*key), numbers.iter().map(|number| f32::from_le_bytes(*number)).collect()))
        };
        let vectors = bytes[..whole].chunks_exact(record).filter_map(read).collect();
        Ok(Self { vectors, file })
    }

    fn insert(&mut self, key: u64, vector: Vec<f32>) -> Result<()> {
        let numbers = vector.iter().flat_map(|number| number.to_le_bytes());
        let record: Vec<u8> = key.to_le_bytes().into_iter().chain(numbers).collect();
        self.file.write_all(&record)?;
        self.vectors.insert(key, vector.into());
        Ok(())
    }
}

impl DocumentEmbedder for Embedder {
    fn model(&self) -> &ModelKey {
        &self.model
    }

    fn embed_documents(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vec<f32>>, NoVectors>> {
        Box::pin(async move {
            let vectors = self.vectors(Purpose::Document, &texts).await;
            let vectors = vectors.map_err(|error| NoVectors::Failed(error.to_string()))?;
            Ok(vectors.iter().map(|vector| vector.to_vec()).collect())
        })
    }
}

impl QueryEmbedder for Embedder {
    fn embed_query(&self, _: &ModelKey, text: &str) -> BoxFuture<'_, Result<Vector, NoVector>> {
        let text = text.to_owned();
        Box::pin(async move {
            let vectors = self.vectors(Purpose::Query, &[text]).await.map_err(|_| NoVector::Unavailable)?;
            vectors.into_iter().next().ok_or(NoVector::Unavailable)
        })
    }
}
