//! Checks that both backends can store the declared tables.

use std::collections::BTreeSet;

use super::*;

#[test]
fn every_declared_table_can_be_stored() {
    let names: BTreeSet<_> = ALL.iter().map(|table| table.name).collect();
    assert_eq!(names.len(), ALL.len(), "each name once");
    for table in ALL {
        let columns: BTreeSet<_> = table.columns.iter().map(|column| column.name).collect();
        assert_eq!(columns.len(), table.columns.len(), "{}", table.name);
        assert!(table.keys > 0 && table.key().iter().all(|column| !column.nullable), "{}", table.name);
        assert!(table.indices.iter().copied().flatten().all(|name| columns.contains(name)), "{}", table.name);
        let memory = table.columns.iter().position(|column| column.kind == Kind::Memory && !column.nullable);
        for (at, column) in table.columns.iter().enumerate() {
            if let Kind::Words { sealed_as } = column.kind {
                assert_eq!(sealed_as, format!("{}.{}", table.name, column.name));
                assert!(memory.is_some_and(|memory| memory < at), "{sealed_as} is bound to a memory before it");
            }
            assert!(!(column.nullable && column.kind == Kind::Real), "{}.{}", table.name, column.name);
        }
    }
}

#[test]
fn a_row_of_other_kinds_is_refused_and_shows_no_text() {
    let mut cells = Cells::new(vec!["heron".into(), Cell::Null, 7_i64.into()]);
    assert!(cells.int().is_err() && cells.text().is_err());
    assert_eq!(cells.count().ok(), Some(7));
    assert!(cells.int().is_err(), "no more columns");
    assert!(!format!("{:?}", Cell::from("heron")).contains("heron"));
}
