//! Reads all pages of the lists that the server returns.

use kimberly_proto::v1;
use tonic::Status;

use crate::client::Client;

/// Reads all pages: `read` returns the items of the page at a token, and the token of the next page, empty after the last.
pub(crate) async fn every<T>(
    mut read: impl AsyncFnMut(String) -> Result<(Vec<T>, String), Status>,
) -> Result<Vec<T>, Status> {
    let (mut all, mut page_token) = (Vec::new(), String::new());
    loop {
        let (items, next) = read(page_token).await?;
        all.extend(items);
        if next.is_empty() {
            return Ok(all);
        }
        page_token = next;
    }
}

/// All attachments of a user, or of one memory.
pub(crate) async fn attachments(client: &Client, user: &str, memory: &str) -> Result<Vec<v1::Attachment>, Status> {
    let mut client = client.attachments();
    every(async |page_token| {
        let (user_id, memory_id) = (user.to_owned(), memory.to_owned());
        let request = v1::ListAttachmentsRequest { user_id, memory_id, page_size: 1_000, page_token };
        let page = client.list_attachments(request).await?.into_inner();
        Ok((page.attachments, page.next_page_token))
    })
    .await
}

/// All consent records of a user.
pub(crate) async fn consents(client: &Client, user: &str, retracted: bool) -> Result<Vec<v1::Consent>, Status> {
    let mut client = client.consents();
    every(async |page_token| {
        let request = v1::ListConsentsRequest {
            user_id: user.to_owned(),
            page_size: 1_000,
            page_token,
            include_retracted: retracted,
        };
        let page = client.list_consents(request).await?.into_inner();
        Ok((page.consents, page.next_page_token))
    })
    .await
}

/// All goals of a user with this status; 0 means any.
pub(crate) async fn goals(client: &Client, user: &str, status: i32) -> Result<Vec<v1::Goal>, Status> {
    let mut client = client.goals();
    every(async |page_token| {
        let request = v1::ListGoalsRequest { user_id: user.to_owned(), page_size: 1_000, page_token, status };
        let page = client.list_goals(request).await?.into_inner();
        Ok((page.goals, page.next_page_token))
    })
    .await
}

/// All entities of a user whose names contain a text.
pub(crate) async fn entities(client: &Client, user: &str, search: &str) -> Result<Vec<v1::Entity>, Status> {
    let mut client = client.graph();
    every(async |page_token| {
        let request = v1::ListEntitiesRequest {
            user_id: user.to_owned(),
            search: search.to_owned(),
            page_size: 1_000,
            page_token,
            ..Default::default()
        };
        let page = client.list_entities(request).await?.into_inner();
        Ok((page.entities, page.next_page_token))
    })
    .await
}

/// All runs of a user.
pub(crate) async fn meditations(client: &Client, user: &str) -> Result<Vec<v1::Meditation>, Status> {
    let mut client = client.meditations();
    every(async |page_token| {
        let request = v1::ListMeditationsRequest { user_id: user.to_owned(), page_size: 1_000, page_token };
        let page = client.list_meditations(request).await?.into_inner();
        Ok((page.meditations, page.next_page_token))
    })
    .await
}

/// The receipts of all users.
pub(crate) async fn purges(client: &Client) -> Result<Vec<v1::Purge>, Status> {
    let mut client = client.erasure();
    every(async |page_token| {
        let request = v1::ListPurgesRequest { user_id: String::new(), page_size: 1_000, page_token };
        let page = client.list_purges(request).await?.into_inner();
        Ok((page.purges, page.next_page_token))
    })
    .await
}
