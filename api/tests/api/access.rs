//! Tests who may make which call: calls every rpc of the contract with every kind of credential.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a helper of tests fails the test that calls it")]

use std::collections::BTreeMap;
use std::time::Duration;

use futures::stream;
use kimberly_core::Timestamp;
use kimberly_core::access::{ApiKey, CredentialName, Operation, Rows, UserPatterns};
use kimberly_core::ports::By;
use kimberly_core::settings::ServerDefaults;
use kimberly_core::time::Span;
use kimberly_core::usecases::keys::CreateKeyInput;
use kimberly_proto::{FILE_DESCRIPTOR_SET, v1};
use kimberly_runtime::config::{AuthConfig, AuthMode, Config, Period};
use prost::Message as _;
use prost_types::FileDescriptorSet;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::{Code, Request, Status};
use tonic_prost::ProstCodec;

use crate::common::{Served, USER, create, draft, reason};

/// Any request whose first field is the user's id.
#[derive(Clone, PartialEq, prost::Message)]
struct OfUser {
    #[prost(string, tag = "1")]
    user_id: String,
}

/// Any response, of which nothing is read.
#[derive(Clone, PartialEq, prost::Message)]
struct Anything {}

/// The requirements of an rpc: an operation, and whether it is about all users.
type Takes = Option<(Operation, bool)>;

/// The requirements of every rpc, written by hand.
#[rustfmt::skip]
const TAKES: &[(&str, &str, Takes)] = {
    use Operation::{Admin, Delete, Export, Meditate, Read, Write};
    &[
        ("AccessService", "CreateKey ListKeys RevokeKey RotateKey", Some((Admin, true))),
        ("AuditService", "ListAuditEntries VerifyAudit ExportAudit CreateAuditCheckpoint", Some((Export, false))),
        ("AttachmentService", "UploadAttachment AttachToMemory", Some((Write, false))),
        ("AttachmentService", "DetachFromMemory", Some((Delete, false))),
        ("AttachmentService", "ExportAttachments", Some((Export, false))),
        ("AttachmentService", "ImportAttachment", Some((Write, false))),
        ("AttachmentService", "GetAttachment ListAttachments DownloadAttachment", Some((Read, false))),
        ("ConsentService", "GrantConsent ImportConsents", Some((Write, false))),
        ("ConsentService", "GetConsent ListConsents", Some((Read, false))),
        ("ConsentService", "RetractConsent", Some((Delete, false))),
        ("ErasureService", "PurgeUser", Some((Admin, false))),
        ("ErasureService", "GetPurge ListPurges", Some((Admin, false))),
        ("EmbeddingService", "RequestEmbedding UploadEmbeddings", Some((Write, false))),
        ("EmbeddingService", "GetEmbeddingStatus", Some((Read, false))),
        ("EmbeddingService", "ExportEmbeddingTexts", Some((Export, false))),
        ("GoalService", "CreateGoal UpdateGoal ImportGoals", Some((Write, false))),
        ("GoalService", "GetGoal ListGoals", Some((Read, false))),
        ("GoalService", "DeleteGoal", Some((Delete, false))),
        ("MaintenanceService", "GetKeyRings HoldStill ListQuarantinedVaults ListUsers", Some((Admin, true))),
        ("MaintenanceService", "CheckVault RebuildDerived", Some((Admin, false))),
        ("MeditationService", "Meditate", Some((Meditate, false))),
        ("MeditationService", "GetMeditation ListMeditations WatchMeditation", Some((Read, false))),
        ("MemoryService", "CreateMemory BatchCreateMemories UpdateMemory RestoreMemory", Some((Write, false))),
        ("MemoryService", "RecordOutcome EndSession ImportMemories", Some((Write, false))),
        ("MemoryService", "GetMemory ListMemories QueryMemories WatchMemories", Some((Read, false))),
        ("MemoryService", "DeleteMemory ForgetMemories", Some((Delete, false))),
        ("MemoryService", "ExportMemories", Some((Export, false))),
        ("GraphService", "ListEntities GetEntity ListNeighbours GetSubgraph ListRelated", Some((Read, false))),
        ("GraphService", "MergeEntities SplitEntity RenameEntity DismissEntity", Some((Write, false))),
        ("DocumentService", "IngestDocument", Some((Write, false))),
        ("DocumentService", "ListPassages", Some((Read, false))),
        ("ReviewService", "ListReviews", Some((Read, false))),
        ("ReviewService", "ApplyReview DismissReview UndoReview", Some((Write, false))),
        ("LinkService", "Link ImportLinks ResolveContradiction", Some((Write, false))),
        ("LinkService", "ListLinks Lineage ListContradictions", Some((Read, false))),
        ("LinkService", "Unlink", Some((Delete, false))),
        ("RecordService", "CorrectMemory ReviseBelief InvalidateMemory PromoteMemories", Some((Write, false))),
        ("RecordService", "GetHistory ListUnprocessed GetIdentity", Some((Read, false))),
        ("RecordService", "ListForgettingCandidates", Some((Read, false))),
        ("RecordService", "RunForgetting", Some((Delete, false))),
        ("RecordService", "VerifyMemory RecordPlaybookUse RecordInteraction", Some((Write, false))),
        ("ConversationService", "Observe ObserveStream", Some((Write, false))),
        ("ConversationService", "GetContext", Some((Read, false))),
        ("ConversationService", "CompactSession", Some((Write, false))),
        ("NamedRecordService", "GetNamedRecord ListNames ListVersions GetVersion DiffVersions", Some((Read, false))),
        ("NamedRecordService", "RenameRecord EditRecord UndoEdit", Some((Write, false))),
        ("NamedRecordService", "RedactVersion", Some((Delete, false))),
        ("CoreMemoryService", "AddBlock UpdateBlock", Some((Write, false))),
        ("CoreMemoryService", "RemoveBlock", Some((Delete, false))),
        ("CoreMemoryService", "ListBlocks RenderCoreMemory", Some((Read, false))),
        ("MemoryToolService", "RunMemoryTool", Some((Read, false))),
        ("RecordService", "ListUncertain FindPlaybooks", Some((Read, false))),
        ("WorkingMemoryService", "RunWorkingOperations", Some((Write, false))),
        ("WorkingMemoryService", "GetWorkingEntry ListWorkingKeys", Some((Read, false))),
        ("MetricsService", "GetMetrics", Some((Read, false))),
        ("MetricsService", "ListAlerts", Some((Admin, true))),
        ("ServerService", "GetServerInfo", None),
        ("SettingsService", "GetSettings", Some((Read, false))),
        ("SettingsService", "UpdateSettings", Some((Admin, false))),
    ]
};

/// Returns every rpc of the contract with its requirements. Fails for one that is not listed above.
fn rpcs() -> Vec<(String, Takes)> {
    let written: BTreeMap<String, _> = TAKES
        .iter()
        .flat_map(|(service, methods, takes)| {
            methods.split(' ').map(move |method| (format!("/kimberly.v1.{service}/{method}"), *takes))
        })
        .collect();
    let files = FileDescriptorSet::decode(FILE_DESCRIPTOR_SET).unwrap().file;
    let services = files.iter().flat_map(|file| file.service.iter().map(move |service| (file.package(), service)));
    let rpcs: Vec<_> = services
        .flat_map(|(package, service)| {
            service.method.iter().map(move |m| format!("/{package}.{}/{}", service.name(), m.name()))
        })
        .map(|path| {
            let takes = *written.get(&path).unwrap_or_else(|| panic!("no row says what {path} takes"));
            (path, takes)
        })
        .collect();
    assert_eq!(rpcs.len(), written.len());
    rpcs
}

/// Makes a call for a user, and reads the first message of the response.
pub(crate) async fn call(served: &Served, path: &str, user: &str, key: Option<&str>) -> Result<(), Status> {
    if path.ends_with("/ImportMemories") {
        return import(served, user, key).await;
    }
    if path.ends_with("/ObserveStream") {
        return observe(served, user, key).await;
    }
    if path.ends_with("/UploadAttachment") {
        return upload(served, user, key).await;
    }
    if path.ends_with("/ImportAttachment") {
        return import_attachment(served, user, key).await;
    }
    // In these requests, the name of a key is in the field that holds the user elsewhere.
    let names_nobody = path.starts_with("/kimberly.v1.AccessService/")
        || ["/GetKeyRings", "/HoldStill", "/ListAlerts", "/ListQuarantinedVaults", "/ListUsers"]
            .iter()
            .any(|end| path.ends_with(end));
    let user_id = if names_nobody { String::new() } else { user.to_owned() };
    let mut grpc = tonic::client::Grpc::new(served.channel.clone());
    grpc.ready().await.unwrap();
    let mut request = Request::new(stream::iter([OfUser { user_id }]));
    show(&mut request, key);
    let codec: ProstCodec<OfUser, Anything> = ProstCodec::default();
    let answer = grpc.streaming(request, PathAndQuery::try_from(path).unwrap(), codec).await;
    tokio::time::timeout(Duration::from_mins(1), answer?.into_inner().message()).await.unwrap().map(drop)
}

async fn import(served: &Served, user: &str, key: Option<&str>) -> Result<(), Status> {
    let start = v1::ImportStart { user_id: user.to_owned(), import_id: "i".to_owned(), ..Default::default() };
    let message = Some(v1::import_memories_request::Message::Start(start));
    let mut request = Request::new(stream::iter([v1::ImportMemoriesRequest { message }]));
    show(&mut request, key);
    served.memories().import_memories(request).await?.into_inner().message().await.map(drop)
}

async fn observe(served: &Served, user: &str, key: Option<&str>) -> Result<(), Status> {
    let start = v1::ObserveStart { user_id: user.to_owned(), session_id: "s".to_owned(), ..Default::default() };
    let part = Some(v1::observe_stream_request::Part::Start(start));
    let mut request = Request::new(stream::iter([v1::ObserveStreamRequest { part }]));
    show(&mut request, key);
    let mut client = v1::conversation_service_client::ConversationServiceClient::new(served.channel.clone());
    client.observe_stream(request).await?.into_inner().message().await.map(drop)
}

async fn import_attachment(served: &Served, user: &str, key: Option<&str>) -> Result<(), Status> {
    let start = v1::ImportAttachmentStart { user_id: user.to_owned(), attachment: None };
    let message = Some(v1::import_attachment_request::Message::Start(start));
    let mut request = Request::new(stream::iter([v1::ImportAttachmentRequest { message }]));
    show(&mut request, key);
    let mut client = v1::attachment_service_client::AttachmentServiceClient::new(served.channel.clone());
    client.import_attachment(request).await?.into_inner().message().await.map(drop)
}

async fn upload(served: &Served, user: &str, key: Option<&str>) -> Result<(), Status> {
    let media_type = "text/plain".to_owned();
    let start = v1::AttachmentStart { user_id: user.to_owned(), media_type, ..v1::AttachmentStart::default() };
    let message = Some(v1::upload_attachment_request::Message::Start(start));
    let mut request = Request::new(stream::iter([v1::UploadAttachmentRequest { message }]));
    show(&mut request, key);
    let mut client = v1::attachment_service_client::AttachmentServiceClient::new(served.channel.clone());
    client.upload_attachment(request).await?.into_inner().message().await.map(drop)
}

pub(crate) fn show<M>(request: &mut Request<M>, key: Option<&str>) {
    if let Some(key) = key {
        request.metadata_mut().insert("authorization", format!("Bearer {key}").parse().unwrap());
    }
}

pub(crate) async fn required(recheck: Period) -> Served {
    let auth = AuthConfig { mode: AuthMode::Required, recheck, ..AuthConfig::default() };
    Served::configured(ServerDefaults::default(), Config { auth, ..Config::default() }).await
}

pub(crate) struct Wanted<'a> {
    pub(crate) users: &'a [&'a str],
    pub(crate) can: &'a [Operation],
    pub(crate) expires_at: Option<Timestamp>,
    pub(crate) agent: bool,
}

pub(crate) const ALL: Wanted<'static> = Wanted { users: &["*"], can: Operation::ALL, expires_at: None, agent: false };

/// Creates a key as `kimberly keys create` does. Its number determines its id and secret.
pub(crate) async fn key(served: &Served, n: u8, wanted: Wanted<'_>) -> ApiKey {
    let input = CreateKeyInput {
        name: CredentialName::parse(&format!("key-{n}")).unwrap(),
        users: UserPatterns::parse("grant.users", wanted.users).unwrap(),
        operations: wanted.can.iter().copied().collect(),
        rows: Rows::default(),
        agent: wanted.agent,
        expires_at: wanted.expires_at,
        certificate: None,
        random_id: [n; 8],
        random_secret: [n; 32].into(),
    };
    served.app.create_key(&*served.store.credentials(), input).await.unwrap().key.unwrap()
}

pub(crate) fn name(n: u8) -> CredentialName {
    CredentialName::parse(&format!("key-{n}")).unwrap()
}

/// Returns why the caller was refused, if they were. Ignores other failures.
pub(crate) fn refusal(outcome: &Result<(), Status>) -> Option<String> {
    let status = outcome.as_ref().err()?;
    let reason = reason(status).1;
    matches!(reason.as_str(), "UNAUTHENTICATED" | "PERMISSION_DENIED").then_some(reason)
}

#[tokio::test]
async fn without_a_good_credential_nothing_is_served_but_what_tells_about_the_server() {
    let served = required(Period::seconds(1)).await;
    let good = key(&served, 1, ALL).await;
    let now = served.app.clock.now();
    let end = now.plus(Span::seconds(2));
    let expired = key(&served, 2, Wanted { expires_at: Some(end), ..ALL }).await;
    let revoked = key(&served, 3, ALL).await;
    served.store.credentials().revoke(&name(3), &By::new("system", now)).await.unwrap();
    while served.app.clock.now() < end {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let wrong = ApiKey::new(good.id(), [9; 32]).reveal();
    let unknown = ApiKey::new(expired.id(), [1; 32]).reveal().replace("0202", "0303");
    let bad = [
        None,
        Some(String::new()),
        Some("garbage".to_owned()),
        Some(wrong),
        Some(unknown),
        Some(revoked.reveal()),
        Some(expired.reveal()),
        Some(format!("{} ", good.reveal().replace("kmb_", "kmc_"))),
    ];
    for (path, takes) in rpcs() {
        let mut said = Vec::new();
        for shown in &bad {
            let outcome = call(&served, &path, "stranger", shown.as_deref()).await;
            if takes.is_none() {
                outcome.unwrap();
                continue;
            }
            let status = outcome.unwrap_err();
            assert_eq!(status.code(), Code::Unauthenticated, "{path} {shown:?}: {status:?}");
            said.push((status.message().to_owned(), status.details().to_vec()));
        }
        said.dedup();
        assert!(said.len() <= 1, "{path} tells what is wrong with a credential: {said:?}");
        assert_eq!(refusal(&call(&served, &path, USER, Some(&good.reveal())).await), None, "{path}");
    }
    assert_eq!(served.store.registry().count_users().await.unwrap(), 1, "only the good key made a vault");
}

#[tokio::test]
async fn every_rpc_takes_its_operation_and_its_user() {
    let served = required(Period::seconds(0)).await;
    let admin = key(&served, 1, ALL).await.reveal();
    // A user who exists and one who does not: no caller may be able to tell them apart.
    for user in [USER, "eve"] {
        let mut request = Request::new(v1::CreateMemoryRequest { user_id: user.to_owned(), ..create(draft("tea")) });
        show(&mut request, Some(&admin));
        served.memories().create_memory(request).await.unwrap();
    }
    for (n, &operation) in (10..).zip(Operation::ALL) {
        let grants: [&[&str]; 3] = [&[USER], &["ad*", "zoe"], &["*"]];
        for (m, users) in (0..).zip(grants) {
            let wanted = Wanted { users, can: &[operation], ..ALL };
            let shown = key(&served, n * 3 + m, wanted).await.reveal();
            let everybody = users == ["*"];
            for (path, takes) in rpcs() {
                let Some((takes, of_all)) = takes else { continue };
                let may = takes == operation && (everybody || !of_all);
                let own = call(&served, &path, USER, Some(&shown)).await;
                assert_eq!(refusal(&own).is_none(), may, "{path} with {operation} for {users:?}: {own:?}");
                let eve = call(&served, &path, "eve", Some(&shown)).await;
                assert_eq!(refusal(&eve).is_none(), takes == operation && everybody, "{path} of eve: {eve:?}");
                let absent = call(&served, &path, &format!("absent-{n}"), Some(&shown)).await;
                if let (Err(eve), Some(denied)) = (&eve, refusal(&eve)) {
                    let absent = absent.unwrap_err();
                    assert_eq!(denied, "PERMISSION_DENIED");
                    assert_eq!((eve.code(), eve.message()), (absent.code(), absent.message()), "{path}");
                    assert_eq!(eve.details(), absent.details(), "{path}");
                }
            }
        }
    }
}

#[tokio::test]
async fn figures_of_the_whole_system_take_admin_for_all_users() {
    let served = required(Period::seconds(0)).await;
    let path = "/kimberly.v1.MetricsService/GetMetrics";
    let cases: [(&[&str], &[Operation], bool); 4] = [
        (&["*"], &[Operation::Admin], true),
        (&["a*"], &[Operation::Admin, Operation::Read], false),
        (&["*"], &[Operation::Read], false),
        (&["*"], Operation::ALL, true),
    ];
    for (n, (users, can, may)) in (1..).zip(cases) {
        let shown = key(&served, n, Wanted { users, can, ..ALL }).await.reveal();
        let outcome = call(&served, path, "", Some(&shown)).await;
        assert_eq!(refusal(&outcome).is_none(), may, "{users:?} {can:?}: {outcome:?}");
    }
}

#[tokio::test]
async fn an_open_server_asks_for_nothing_and_still_refuses_a_wrong_credential() {
    let served = Served::start().await;
    let reader = key(&served, 1, Wanted { users: &[USER], can: &[Operation::Read], ..ALL }).await.reveal();
    for (path, takes) in rpcs() {
        assert_eq!(refusal(&call(&served, &path, USER, None).await), None, "{path}");
        let Some((takes, _)) = takes else { continue };
        let wrong = call(&served, &path, USER, Some("kmb_wrong")).await;
        assert_eq!(refusal(&wrong).as_deref(), Some("UNAUTHENTICATED"), "{path}");
        let limited = call(&served, &path, USER, Some(&reader)).await;
        assert_eq!(
            refusal(&limited).is_none(),
            takes == Operation::Read,
            "{path}: a key is held to its grant: {limited:?}"
        );
    }
}
