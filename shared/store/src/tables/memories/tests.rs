//! Writers and readers of columns match the columns' types.

use std::collections::BTreeSet;

use kimberly_core::ports::SessionSpot;

use super::field::Value;
use super::*;
use crate::tables::Kind;

/// Records the kinds of all values written or read.
#[derive(Default)]
struct Noted(Vec<Vec<Kind>>);

const WHOLE: &[Kind] = &[Kind::Int, Kind::Small];

impl Noted {
    fn note(&mut self, kinds: &[Kind]) {
        self.0.push(kinds.to_vec());
    }
}

impl WriteRow for Noted {
    fn put_int(&mut self, _: i64) {
        self.note(WHOLE);
    }
    fn put_opt_int(&mut self, _: Option<i64>) {
        self.note(WHOLE);
    }
    fn put_flag(&mut self, _: bool) {
        self.note(&[Kind::Flag]);
    }
    fn put_real(&mut self, _: f64) {
        self.note(&[Kind::Real]);
    }
    fn put_text(&mut self, _: String) {
        self.note(&[Kind::Text]);
    }
    fn put_opt_text(&mut self, _: Option<String>) {
        self.note(&[Kind::Text]);
    }
    fn put_opt_bytes(&mut self, _: Option<Vec<u8>>) {
        self.note(&[Kind::Bytes]);
    }
    fn put_uuid(&mut self, _: Uuid) {
        self.note(&[Kind::Id]);
    }
    fn put_opt_uuid(&mut self, _: Option<Uuid>) {
        self.note(&[Kind::Id]);
    }
    fn put_tags(&mut self, _: &[String]) {
        self.note(&[Kind::Tags]);
    }
}

/// Returns a value of any kind.
impl<'r> ReadRow<'r> for Noted {
    fn int(&mut self) -> Result<i64> {
        self.note(WHOLE);
        Ok(0)
    }
    fn opt_int(&mut self) -> Result<Option<i64>> {
        self.int().map(Some)
    }
    fn flag(&mut self) -> Result<bool> {
        self.note(&[Kind::Flag]);
        Ok(false)
    }
    fn real(&mut self) -> Result<f64> {
        self.note(&[Kind::Real]);
        Ok(0.0)
    }
    fn text(&mut self) -> Result<String> {
        self.note(&[Kind::Text]);
        Ok(String::new())
    }
    fn opt_text(&mut self) -> Result<Option<String>> {
        self.text().map(|_| None)
    }
    fn str(&mut self) -> Result<&'r str> {
        self.text().map(|_| "")
    }
    fn opt_str(&mut self) -> Result<Option<&'r str>> {
        self.text().map(|_| None)
    }
    fn opt_bytes(&mut self) -> Result<Option<&'r [u8]>> {
        self.note(&[Kind::Bytes]);
        Ok(None)
    }
    fn uuid(&mut self) -> Result<Uuid> {
        self.note(&[Kind::Id]);
        Ok(Uuid::nil())
    }
    fn opt_uuid(&mut self) -> Result<Option<Uuid>> {
        self.uuid().map(Some)
    }
    fn tags(&mut self) -> Result<Vec<String>> {
        self.note(&[Kind::Tags]);
        Ok(Vec::new())
    }
}

#[test]
fn each_column_is_written_and_read_once_and_as_what_it_holds() {
    let spot = Some(SessionSpot { session: 1, position: 2 });
    let (record, refs) = (blank(), NameRefs { spot, ..NameRefs::default() });
    let stored = Stored::of_record(&record, &refs, 1);
    for field in FIELDS {
        let Column { files: name, kind, .. } = field.column;
        let mut written = Noted::default();
        field.put(&mut written, &stored, None).unwrap();
        assert!(
            written.0.len() == 1 && written.0[0].contains(&kind),
            "{name} holds {kind:?}, and {:?} is put",
            written.0
        );
        // An expression over another table may have another kind.
        if field.read == Read::Never || field.selects.is_some() {
            continue;
        }
        let mut read = Noted::default();
        field.take(&mut read, &mut blank(), None).unwrap();
        assert!(read.0.len() == 1 && read.0[0].contains(&kind), "{name} holds {kind:?}, and {:?} is taken", read.0);
    }
}

#[test]
fn statements_name_each_column_once() {
    let names: BTreeSet<_> = inserted().split(", ").collect();
    assert_eq!((names.len(), INSERTED), (FIELDS.len(), FIELDS.len()));
    let sets = updates("old", |at| format!("${}", at + 3));
    assert!(sets.starts_with("tier = $3, state = $4, session = $5, "), "{sets}");
    assert!(sets.contains(", life = old.life | $") && sets.contains(", score_record = coalesce($"), "{sets}");
    for once in ["seq", "id", "withheld", "helpful", "unhelpful"] {
        assert!(!sets.split(", ").any(|set| set.starts_with(&format!("{once} = "))), "{once}: {sets}");
    }
    assert!(memory_columns().starts_with("m.seq, m.tier, m.state, s.id, m.occurred_at, "), "{}", memory_columns());
    assert!(!memory_columns().contains("score_record") && record_columns().contains("m.score_record"));
}

/// Ciphertexts are bound to these names permanently.
#[test]
fn sealed_texts_have_a_column_of_each_sort() {
    let mut sealed = Vec::new();
    for field in FIELDS {
        match field.value {
            Value::Plain(text) => assert_eq!(field.column.files, text.name),
            Value::Sealed(text) => {
                assert_eq!(field.column.files, format!("sealed_{}", text.name));
                assert!(
                    FIELDS.iter().any(|other| matches!(other.value, Value::Plain(plain) if plain.name == text.name))
                );
                sealed.push(text.name);
            }
            Value::Of(..) | Value::Key(_) | Value::Name(_) => {}
        }
    }
    assert_eq!(sealed, ["content", "attributes", "channels", "subject", "texts", "detail", "source_ref", "name"]);
}

/// Every text column is either sealed for sensitive memories or listed here as deliberately plain.
#[test]
fn texts_are_sealed_or_known_not_to_be() {
    let plain = |field: &&Field| {
        let is_text = matches!(field.column.kind, Kind::Text | Kind::Tags);
        is_text && !matches!(field.value, Value::Plain(_))
    };
    let plain: Vec<_> = FIELDS.iter().filter(plain).map(|field| field.column.files).collect();
    assert_eq!(plain, ["tags", "version", "speaker_name", "author", "confidence_history", "score_record"]);
}
