//! Reads lists that the server returns in pages.

use tonic::Status;

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
