//! Documents are found by their passages, replaced by name, stored once, and erased with their records.

use kimberly_proto::v1::ingest_document_request::Original;
use kimberly_proto::v1::{self as pb};
use kimberly_tests::{System, User, attachments, reason};
use tonic::Code;

/// A handbook of many paragraphs, one of which contains `fact`.
fn handbook(fact: &str) -> String {
    let filler = |n: usize| {
        format!(
            "Section {n} is about the kitchen on floor {n}. Please wash up after yourself. The cupboards hold cups and \
             plates for everyone. The machine by the window makes coffee, and the one by the door makes tea. Those who \
             empty a box of filters put a new one there. Cleaning is on Tuesdays, so leave nothing on the tables then.\n\n"
        )
    };
    let before: String = (0..20).map(filler).collect();
    let behind: String = (20..40).map(filler).collect();
    format!("# Handbook\n\n{before}{fact}\n\n{behind}")
}

fn text(user: &User, text: &str, name: &str) -> pb::IngestDocumentRequest {
    pb::IngestDocumentRequest {
        user_id: user.id(),
        original: Some(Original::Text(text.to_owned())),
        media_type: "text/markdown".to_owned(),
        name: name.to_owned(),
        ..Default::default()
    }
}

async fn ingest(user: &User, request: pb::IngestDocumentRequest) -> pb::IngestDocumentResponse {
    user.clients.documents.clone().ingest_document(request).await.expect("a document").into_inner()
}

async fn passages(user: &mut User, id: &str) -> Vec<pb::Passage> {
    let (mut all, mut page_token) = (Vec::new(), String::new());
    loop {
        let request = pb::ListPassagesRequest { user_id: user.id(), id: id.to_owned(), page_size: 7, page_token };
        let page = user.clients.documents.list_passages(request).await.expect("a page").into_inner();
        all.extend(page.passages);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return all;
        }
    }
}

fn id(answer: &pb::IngestDocumentResponse) -> String {
    answer.receipt.clone().expect("a receipt").id
}

#[tokio::test]
async fn a_document_is_found_by_the_passage_that_says_it_and_goes_with_its_record() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    ana.remember("The kitchen on floor 3 has a new kettle").await;
    let first = handbook("Staff have 25 days of annual leave, and unused days lapse in March.");
    let request = pb::IngestDocumentRequest { request_id: "first".to_owned(), ..text(&ana, &first, "handbook.md") };
    let stored = ingest(&ana, request.clone()).await;
    assert!(stored.passages > 15 && stored.stored == stored.passages && !stored.known, "{stored:?}");
    assert_eq!(id(&ingest(&ana, request).await), id(&stored), "the same call again");

    let found = ana.recall("How many days of annual leave?").await;
    let best = &found[0];
    let memory = best.memory.clone().expect("a memory");
    assert_eq!((memory.id.clone(), memory.kind()), (id(&stored), pb::Kind::Document));
    assert!(best.passages[0].text.contains("25 days of annual leave") && best.relevance > 0.5, "{best:?}");
    let whole = passages(&mut ana, &id(&stored)).await;
    assert_eq!(whole.len(), usize::try_from(stored.passages).expect("a count"));
    let of = |passage: &pb::Passage| {
        let byte = |at: i32| usize::try_from(at).expect("a place");
        first[byte(passage.start)..byte(passage.end)].to_owned()
    };
    assert!(whole.iter().all(|passage| of(passage) == passage.text && passage.text.chars().count() <= 1_000));

    let asked =
        pb::GetContextRequest { user_id: ana.id(), query: "days of annual leave".to_owned(), ..Default::default() };
    let context = ana.clients.conversations.get_context(asked).await.expect("a context").into_inner();
    assert!(context.text.contains("unused days lapse in March"), "{}", context.text);

    let second = handbook("Staff have 30 days of annual leave.");
    let replaced = ingest(&ana, text(&ana, &second, "handbook.md")).await;
    assert_eq!((id(&replaced), replaced.known), (id(&stored), false));
    assert!(replaced.stored > 0 && replaced.stored < replaced.passages, "what differs: {replaced:?}");
    let found = ana.recall("How many days of annual leave?").await;
    assert!(found[0].passages[0].text.contains("30 days"), "{found:?}");
    let headed = format!("A note.\n\n{second}");
    let edited = ingest(&ana, text(&ana, &headed, "handbook.md")).await;
    assert!(edited.stored < 4, "an edit at the beginning makes few passages: {edited:?}");
    ingest(&ana, text(&ana, &second, "handbook.md")).await;
    let before = passages(&mut ana, &id(&stored)).await;
    let rebuild = pb::RebuildDerivedRequest { user_id: ana.id(), ..Default::default() };
    ana.clients.maintenance.rebuild_derived(rebuild).await.expect("it is rebuilt");
    assert_eq!(passages(&mut ana, &id(&stored)).await, before);
    let edit = pb::EditRecordRequest {
        user_id: ana.id(),
        name: "handbook.md".to_owned(),
        edit: Some(pb::edit_record_request::Edit::Append("more".to_owned())),
        ..Default::default()
    };
    let refused = ana.clients.named.edit_record(edit).await.expect_err("no edit");
    assert!(refused.message().contains("IngestDocument"), "{refused:?}");
    for name in ["", "a-copy.md"] {
        let again = ingest(&ana, text(&ana, &second, name)).await;
        assert_eq!((id(&again), again.known, again.stored), (id(&stored), true, 0), "kept once");
    }
    assert_eq!(attachments::list(&ana.clients, &ana.id(), &id(&stored)).await.len(), 1, "the newest original");

    ana.forget(&id(&stored)).await;
    assert!(ana.recall("annual leave").await.iter().all(|one| one.passages.is_empty()));
    ana.restore(&id(&stored)).await;
    assert!(!ana.recall("annual leave").await[0].passages.is_empty());
    ana.forget_now(&[&id(&stored)]).await;
    assert!(ana.recall("annual leave").await.iter().all(|one| one.passages.is_empty()));
}

#[tokio::test]
async fn secrets_in_a_document_are_masked_in_its_passages_and_its_original() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let secret = handbook("The door of the archive: the password is hunter2, and nobody else knows it.");
    let stored = ingest(&ana, text(&ana, &secret, "handbook.md")).await;
    assert!(stored.receipt.as_ref().is_some_and(|receipt| receipt.masked), "{stored:?}");
    let kept = passages(&mut ana, &id(&stored)).await;
    assert!(kept.iter().any(|one| one.text.contains("the password is [masked]")), "{kept:?}");
    let original = attachments::list(&ana.clients, &ana.id(), &id(&stored)).await[0].id.clone();
    let bytes = attachments::download(&ana.clients, &ana.id(), &original, 0).await.expect("its bytes");
    let bytes = String::from_utf8_lossy(&bytes);
    assert!(!kept.iter().any(|one| one.text.contains("hunter2")) && !bytes.contains("hunter2"));
    assert!(ingest(&ana, text(&ana, &secret, "handbook.md")).await.known, "the same text again");

    let page = b"The password is hunter2. The ferry leaves at nine.";
    let upload = pb::AttachmentStart { media_type: "text/plain".to_owned(), ..attachments::start("ana", "f.txt") };
    let uploaded = attachments::upload(&ana.clients, upload, page).await.expect("an attachment").id;
    let request = pb::IngestDocumentRequest {
        user_id: ana.id(),
        original: Some(Original::AttachmentId(uploaded)),
        ..Default::default()
    };
    let of_file = id(&ingest(&ana, request).await);
    let rebuild = pb::RebuildDerivedRequest { user_id: ana.id(), ..Default::default() };
    for time in ["ingested", "read again"] {
        let kept = passages(&mut ana, &of_file).await;
        assert_eq!(kept[0].text, "The password is [masked]. The ferry leaves at nine.", "{time}");
        ana.clients.maintenance.rebuild_derived(rebuild.clone()).await.expect("it is rebuilt");
    }
}

#[tokio::test]
async fn a_page_is_read_from_its_attachment_and_what_is_no_text_is_refused() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let upload =
        |name: &str, kind: &str| pb::AttachmentStart { media_type: kind.to_owned(), ..attachments::start("ana", name) };
    let page = b"<title>Ferries</title><script>var leave = 1</script><p>The <b>ferry</b> leaves at nine.</p>";
    let page = attachments::upload(&ana.clients, upload("f.html", "text/html"), page).await.expect("an attachment");
    let of = |id: &str| pb::IngestDocumentRequest {
        user_id: "ana".to_owned(),
        original: Some(Original::AttachmentId(id.to_owned())),
        ..Default::default()
    };
    let stored = ingest(&ana, of(&page.id)).await;
    let memory = ana.memory(&id(&stored)).await;
    assert_eq!(memory.content, "Ferries\n\nThe ferry leaves at nine.");
    let Some(pb::detail::Kind::Document(detail)) = memory.detail.and_then(|detail| detail.kind) else {
        panic!("it has no detail")
    };
    assert_eq!((detail.title.as_str(), detail.attachment_id, detail.passages), ("Ferries", page.id.clone(), 1));
    assert_eq!(attachments::list(&ana.clients, "ana", &id(&stored)).await[0].id, page.id);

    for (name, kind, bytes) in [
        ("a.pdf", "application/pdf", &b"%PDF-1.7"[..]),
        ("b.txt", "text/plain", b"caf\xe9"),
        ("c.html", "text/html", b"<p>"),
    ] {
        let other = attachments::upload(&ana.clients, upload(name, kind), bytes).await.expect("an attachment");
        let refused = ana.clients.documents.ingest_document(of(&other.id)).await.expect_err("no document");
        assert_eq!(
            (refused.code(), reason(&refused).as_str()),
            (Code::FailedPrecondition, "WRONG_STATE"),
            "{name}: {refused:?}"
        );
    }
    let large = attachments::upload(&ana.clients, upload("d.txt", "text/plain"), &b"word ".repeat(2_097_153)).await;
    let refused =
        ana.clients.documents.ingest_document(of(&large.expect("an attachment").id)).await.expect_err("too large");
    assert!(refused.message().contains("at most 10485760"), "{refused:?}");
    let note = ana.remember("no document").await.id;
    let request = pb::ListPassagesRequest { user_id: ana.id(), id: note, ..Default::default() };
    let refused = ana.clients.documents.list_passages(request).await.expect_err("no document");
    assert!(refused.message().contains("only documents have passages"), "{refused:?}");
}

#[tokio::test]
async fn a_sensitive_document_is_found_by_its_passages_until_its_consent_is_retracted() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let sensitive = |user: &User| pb::IngestDocumentRequest {
        sensitive: true,
        ..text(user, &handbook("The blood test of April showed little iron."), "letter.md")
    };
    let request = sensitive(&ana);
    let refused = ana.clients.documents.ingest_document(request).await.expect_err("no consent");
    assert_eq!(reason(&refused), "CONSENT_REQUIRED");
    let consent = ana.consent().await;
    let stored = ingest(&ana, sensitive(&ana)).await;
    let found = ana.recall("What did the blood test show?").await;
    assert!(found[0].passages[0].text.contains("little iron"), "{found:?}");
    let original = attachments::list(&ana.clients, &ana.id(), &id(&stored)).await[0].id.clone();
    let plain = pb::IngestDocumentRequest {
        user_id: ana.id(),
        original: Some(Original::AttachmentId(original)),
        ..Default::default()
    };
    let refused = ana.clients.documents.ingest_document(plain).await.expect_err("a plain copy");
    assert!(refused.message().contains("belongs to a sensitive memory"), "{refused:?}");
    let newer = pb::IngestDocumentRequest { sensitive: false, ..sensitive(&ana) };
    let newer =
        pb::IngestDocumentRequest { original: Some(Original::Text("The blood test of May.".to_owned())), ..newer };
    assert_eq!(id(&ingest(&ana, newer).await), id(&stored));
    let memory = ana.memory(&id(&stored)).await;
    assert!(memory.metadata.expect("it has some").sensitive && memory.content.contains("May"), "it stays sensitive");
    ana.remember_draft(pb::MemoryDraft {
        content: "plain".to_owned(),
        name: "plain.md".to_owned(),
        ..Default::default()
    })
    .await;
    let request = text(&ana, "Some text.", "plain.md");
    let taken = ana.clients.documents.ingest_document(request).await.expect_err("taken");
    assert_eq!(reason(&taken), "NAME_TAKEN");
    let request = pb::RetractConsentRequest { user_id: ana.id(), id: consent.id, ..Default::default() };
    ana.clients.consents.retract_consent(request).await.expect("it is retracted");
    assert!(ana.recall("What did the blood test show?").await.iter().all(|one| one.passages.is_empty()));
    let request = pb::ListPassagesRequest { user_id: ana.id(), id: id(&stored), ..Default::default() };
    let hidden = ana.clients.documents.list_passages(request).await.expect_err("it is hidden");
    assert_eq!(hidden.code(), Code::NotFound);
}
