//! Exports: complete ones, and continued ones from any cursor.

use super::{Item, OTHER, export, export_of, import_all, item, lived_in, records};
use crate::common::{Served, USER, fields, reason};
use kimberly_proto::v1;
use kimberly_proto::v1::import_memories_request::Message;
use tonic::Code;

#[tokio::test]
async fn export_of_one_user_imports_for_another_without_loss() {
    let served = Served::start().await;
    lived_in(&served).await;
    let out = records(&served, USER).await;
    assert_eq!(out.len(), 5);
    let states: Vec<i32> = out.iter().map(|record| record.memory.as_ref().unwrap().state).collect();
    assert_eq!(states, [1, 3, 1, 1, 2]);
    let items = (0..).zip(out.clone()).map(|(n, record)| item(n, Item::Record(record))).collect::<Vec<_>>();
    let answered = import_all(&served, OTHER, "one", items.clone()).await;
    answered.end.as_ref().unwrap();
    assert_eq!((answered.began_at, answered.next_index, answered.stored()), (0, 5, 5));
    let mut back = records(&served, OTHER).await;
    for record in &mut back {
        record.memory.as_mut().unwrap().user_id = USER.to_owned();
    }
    assert_eq!(back, out);
    // Under another import id everything exists already. A record that differs is refused and overwrites nothing.
    let mut again = items.clone();
    let Some(Message::Item(v1::ImportItem { memory: Some(Item::Record(changed)), .. })) = &mut again[0].message else {
        unreachable!()
    };
    changed.helpful_count = 9;
    let answered = import_all(&served, OTHER, "two", again).await;
    assert_eq!((answered.next_index, answered.stored()), (5, 4));
    assert_eq!(answered.refusal(0), (Code::AlreadyExists, "MEMORY_EXISTS".to_owned()));
    assert_eq!(records(&served, OTHER).await.len(), 5);
    // Under the same import id it is skipped.
    let answered = import_all(&served, OTHER, "one", items).await;
    assert_eq!((answered.began_at, answered.next_index, answered.results.len()), (5, 5, 0));
}

#[tokio::test]
async fn export_goes_on_from_its_cursor_and_from_no_other() {
    let served = Served::start().await;
    let long = "long ".repeat(10_000);
    for n in 0..16 {
        served.remember(&format!("{n} {long}")).await;
    }
    let pieces = export(&served, export_of(USER)).await;
    assert!(pieces.len() >= 3, "{} pieces", pieces.len());
    let all: Vec<_> = pieces.iter().flat_map(|piece| piece.records.clone()).collect();
    assert_eq!(all.len(), 16);
    for (done, piece) in pieces.iter().enumerate() {
        let rest = export(&served, v1::ExportMemoriesRequest { cursor: piece.cursor.clone(), ..export_of(USER) }).await;
        let rest: Vec<_> = rest.into_iter().flat_map(|piece| piece.records).collect();
        let before: usize = pieces[..=done].iter().map(|piece| piece.records.len()).sum();
        assert_eq!(rest, all[before..]);
    }
    let filter = Some(v1::MemoryFilter { session_id: "s".to_owned(), ..Default::default() });
    let foreign = [
        v1::ExportMemoriesRequest { cursor: pieces[0].cursor.clone(), ..export_of(OTHER) },
        v1::ExportMemoriesRequest { cursor: pieces[0].cursor.clone(), filter, ..export_of(USER) },
        v1::ExportMemoriesRequest { cursor: "x".to_owned(), ..export_of(USER) },
    ];
    for request in foreign {
        let refused = served.memories().export_memories(request).await.map(drop).unwrap_err();
        assert_eq!(reason(&refused).1, "INVALID_PAGE_TOKEN");
        assert_eq!(fields(&refused), ["cursor"]);
    }
    assert!(export(&served, export_of("nobody")).await.is_empty());
    let refused = served.memories().export_memories(export_of(" ada")).await.map(drop).unwrap_err();
    assert_eq!(fields(&refused), ["user_id"]);
}
