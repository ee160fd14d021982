//! Transcodes one request from JSON to gRPC and back.

use std::convert::Infallible;
use std::fmt;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, TE, VARY};
use http::{Method, Request, Response, Version};
use http_body_util::Full;
use prost_reflect::{DescriptorPool, DynamicMessage};
use tonic::Status;
use tonic::body::Body;
use tower::Service;

use crate::answer::{self, Failure};
use crate::binding::{self, Binding};
use crate::dialect::{Dialect, Spoken};
use crate::request::{self, Target};
use crate::router::{Found, Router};
use crate::status::Statuses;
use crate::stream::{self, Form};
use crate::{BuildError, Options, Refusal, body, frame, gzip};

/// The HTTP view of a contract, built once at start.
pub struct Transcoder {
    pub(crate) router: Router,
    pub(crate) statuses: Statuses,
    options: Options,
    documents: Vec<Document>,
}

/// A path with a constant response.
struct Document {
    path: &'static str,
    json: Box<dyn Fn(&Transcoder) -> Bytes + Send + Sync>,
    text: Option<Bytes>,
}

impl fmt::Debug for Transcoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transcoder").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Transcoder {
    /// Reads the annotations of all services in an encoded `google.protobuf.FileDescriptorSet`. The set must include
    /// its imports and `google/rpc/status.proto`. With `google/rpc/error_details.proto` in the set, errors include
    /// their details.
    pub fn new(descriptor_set: &[u8], options: Options) -> Result<Self, BuildError> {
        let pool = DescriptorPool::decode(descriptor_set)?;
        let mut bindings = Vec::new();
        for rpc in pool.services().flat_map(|service| service.methods().collect::<Vec<_>>()) {
            for mut binding in binding::of(&rpc)? {
                speak(&mut binding, options.dialects)?;
                bindings.push(Arc::new(binding));
            }
        }
        let router = Router::new(bindings).map_err(|(binding, problem)| BuildError::Annotation {
            rpc: binding.rpc.full_name().to_owned(),
            problem,
        })?;
        Ok(Self { router, statuses: Statuses::new(&pool)?, options, documents: Vec::new() })
    }

    /// Also serves a document at `GET path`, such as the one of [`crate::openapi`]. It is made for the first request:
    /// a server that nobody asks for it saves megabytes.
    #[must_use]
    pub fn with_document<F>(mut self, path: &'static str, make: F) -> Self
    where
        F: Fn(&Self) -> serde_json::Value + Send + Sync + 'static,
    {
        let first = OnceLock::new();
        let json = move |own: &Self| first.get_or_init(|| Bytes::from(make(own).to_string())).clone();
        self.documents.push(Document { path, json: Box::new(json), text: None });
        self
    }

    /// Also serves a document at `GET path`, as text to callers that accept text or HTML but not JSON.
    #[must_use]
    pub fn with_text(mut self, path: &'static str, document: &serde_json::Value, text: String) -> Self {
        let json = Bytes::from(document.to_string());
        self.documents.push(Document { path, json: Box::new(move |_| json.clone()), text: Some(Bytes::from(text)) });
        self
    }

    /// Serves a request that is not gRPC by calling `inner`.
    pub(crate) async fn serve<S>(self: Arc<Self>, inner: S, request: Request<Body>) -> Response<Body>
    where
        S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    {
        match self.served(inner, request).await {
            Ok(answer) => answer,
            Err(Failure::Status(status)) => self.statuses.answer(&status),
            Err(Failure::Refused(refusal)) => self.statuses.refused(&refusal, &(self.options.refuse)(&refusal)),
        }
    }

    async fn served<S>(self: &Arc<Self>, mut inner: S, request: Request<Body>) -> Result<Response<Body>, Failure>
    where
        S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    {
        let (parts, body) = request.into_parts();
        let pack = gzip::accepted(&parts.headers);
        if let Some(answer) = self.document(&parts, pack) {
            return Ok(answer?);
        }
        let (binding, values) = self.find(&parts.method, parts.uri.path())?;
        let message = async {
            let bytes = body::read(&parts.method, &parts.headers, body, &self.options).await?;
            let target = Target { values: &values, query: parts.uri.query().unwrap_or_default() };
            Ok::<_, Failure>(request::message(&binding, target, &bytes, &self.options)?)
        };
        let message = message.await?;
        let form = Form::accepted(&parts.headers);
        let call = self.call(&binding, &message, &parts.headers, parts.extensions);
        // The call holds the encoded message, so no second copy is kept while waiting.
        drop(message);
        let answered = match inner.call(call).await {
            Ok(answered) => answered,
            Err(never) => match never {},
        };
        let (answered, body) = answered.into_parts();
        let output = binding.rpc.output();
        let mut answer = if binding.rpc.is_server_streaming() {
            if let Some(failure) = answer::failure(&answered.headers) {
                return Err(failure);
            }
            stream::answer(Arc::clone(self), form, output, body)
        } else {
            let message = answer::message(&answered, body, output).await?;
            answer::whole(answer::json_of(&binding, &message, self.options.words)?, pack)
        };
        answer::copy_metadata(&answered.headers, answer.headers_mut());
        Ok(answer)
    }

    fn document(&self, request: &http::request::Parts, pack: bool) -> Option<Result<Response<Body>, Refusal>> {
        let document = self.documents.iter().find(|document| document.path == request.uri.path())?;
        if request.method != Method::GET {
            return Some(Err(Refusal::WrongMethod { allowed: "GET".to_owned() }));
        }
        let text = document.text.as_ref().filter(|_| answer::wants_text(&request.headers));
        let mut answer = answer::whole(text.cloned().unwrap_or_else(|| (document.json)(self)), pack);
        if text.is_some() {
            answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
        }
        if document.text.is_some() {
            answer.headers_mut().append(VARY, HeaderValue::from_static("accept"));
        }
        Some(Ok(answer))
    }

    fn find<'a>(&'a self, method: &Method, path: &'a str) -> Result<(Arc<Binding>, Vec<&'a str>), Refusal> {
        match self.router.find(method, path) {
            Found::Binding(binding, values) => Ok((Arc::clone(binding), values)),
            Found::WrongMethod(allowed) => Err(Refusal::WrongMethod { allowed: allowed.to_owned() }),
            Found::Nothing => Err(Refusal::NoSuchPath),
        }
    }

    /// Creates the gRPC request. It keeps the extensions of the connection and the headers meant for the rpc.
    fn call(
        &self,
        binding: &Binding,
        message: &DynamicMessage,
        headers: &HeaderMap,
        extensions: http::Extensions,
    ) -> Request<Body> {
        let mut call = Request::new(Body::new(Full::new(frame::encode(message))));
        *call.method_mut() = Method::POST;
        *call.uri_mut() = http::Uri::from(binding.grpc_path.clone());
        *call.version_mut() = Version::HTTP_2;
        *call.extensions_mut() = extensions;
        let to = call.headers_mut();
        for name in self.options.pass_on {
            let name = HeaderName::from_static(name);
            to.extend(headers.get_all(&name).iter().map(|value| (name.clone(), value.clone())));
        }
        to.insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
        to.insert(TE, HeaderValue::from_static("trailers"));
        call
    }

    /// Creates the response after a panic.
    pub(crate) fn panicked(&self) -> Response<Body> {
        let refusal = Refusal::Defect { problem: "panicked".to_owned() };
        self.statuses.refused(&refusal, &(self.options.refuse)(&refusal))
    }

    /// Returns the status of a failure in the middle of a stream.
    pub(crate) fn status_of(&self, failure: Failure) -> Status {
        match failure {
            Failure::Status(status) => *status,
            Failure::Refused(refusal) => (self.options.refuse)(&refusal),
        }
    }
}

/// Attaches the path's dialect, if there is one, to a binding.
fn speak(binding: &mut Binding, dialects: &[Dialect]) -> Result<(), BuildError> {
    let dialect = dialects.iter().find(|one| binding.method == one.method && binding.raw == one.path);
    let spoken = dialect.map(|dialect| Spoken::new(dialect, &binding.rpc.input())).transpose();
    binding.spoken =
        spoken.map_err(|problem| BuildError::Annotation { rpc: binding.rpc.full_name().to_owned(), problem })?;
    Ok(())
}
