//! JSON over HTTP: a request line and a body are transcoded to a message. The service behind checks that it receives one
//! gRPC frame.

use std::convert::Infallible;
use std::sync::OnceLock;

use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use kimberly_proto::FILE_DESCRIPTOR_SET;
use kimberly_transcode::{Options, Transcode, TranscodeLayer, Transcoder};
use tokio::runtime::{Builder, Runtime};
use tonic::Status;
use tonic::body::Body;
use tower::util::BoxCloneSyncService;
use tower::{Layer as _, ServiceExt as _, service_fn};

use super::seeds;
use crate::Target;

pub(super) const TARGETS: &[Target] =
    &[Target { name: "http_json", about: "a request in JSON: its method, path, query and body", seeds: requests, run }];

type Served = Transcode<BoxCloneSyncService<Request<Body>, Response<Body>, Infallible>>;

fn served() -> Served {
    static SERVED: OnceLock<Served> = OnceLock::new();
    let made = SERVED.get_or_init(|| {
        let options = Options::new(|refusal| match refusal {
            kimberly_transcode::Refusal::Defect { problem } => panic!("a defect: {problem}"),
            other => Status::invalid_argument(format!("{other:?}")),
        });
        let transcoder = Transcoder::new(FILE_DESCRIPTOR_SET, options).expect("the contract is sound");
        TranscodeLayer::new(transcoder)
            .layer(BoxCloneSyncService::new(service_fn(async |request| Ok(answer(request).await))))
    });
    made.clone()
}

/// Checks that the request is one gRPC frame.
async fn answer(request: Request<Body>) -> Response<Body> {
    assert_eq!(request.headers()["content-type"], "application/grpc");
    let frame = request.into_body().collect().await.expect("a whole body").to_bytes();
    let length = frame.get(1..5).map(|length| u32::from_be_bytes(length.try_into().expect("four bytes")) as usize);
    assert_eq!(length, frame.len().checked_sub(5), "not one frame");
    Status::not_found("nothing is here").into_http()
}

fn requests() -> Vec<Vec<u8>> {
    seeds(&[
        "POST /v1/users/ana/memories\n{\"memory\": {\"content\": \"bees\", \"metadata\": {\"tags\": [\"a\"]}}}",
        "GET /v1/users/ana/memories?pageSize=3&filter.tagsAny=a%20b\n",
        "POST /v1/users/ana/memories:query\n{\"query\": \"bees\", \"topK\": 3}",
        "PATCH /v1/users/ana/settings\n{\"settings\": {\"lowScore\": 0.5}, \"updateMask\": \"lowScore\"}",
        "GET /openapi.json\n",
    ])
}

fn run(bytes: &[u8]) {
    let mut parts = bytes.splitn(2, |byte| *byte == b'\n');
    let line = parts.next().and_then(|line| std::str::from_utf8(line).ok()).and_then(|line| line.split_once(' '));
    let Some((method, path)) = line else { return };
    let body = Full::new(parts.next().unwrap_or_default().to_vec().into());
    let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
    let Ok(request) = request.body(Body::new(body)) else { return };
    thread_local! {
        static RUNTIME: Runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
    }
    RUNTIME.with(|runtime| {
        runtime.block_on(async {
            let answer = served().oneshot(request).await.expect("it always answers");
            let status = answer.status();
            assert!(!status.is_server_error() || status == 501, "{status}");
            answer.into_body().collect().await.expect("a whole answer");
        });
    });
}
