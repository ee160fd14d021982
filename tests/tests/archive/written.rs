//! The content of an archive, read with the format's crate.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use kimberly_archive::{Item, Reader, Section};

/// All lines of a valid archive.
#[derive(Debug, PartialEq)]
pub(crate) struct Written(Vec<(Section, String)>);

impl Written {
    #[track_caller]
    pub(crate) fn read(path: &Path) -> Self {
        let file = File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self::parse(file, &path.display().to_string())
    }

    #[track_caller]
    pub(crate) fn parse(archive: impl Read, name: &str) -> Self {
        let mut reader = Reader::new(archive).expect("an archive");
        let mut lines = Vec::new();
        while let Some(item) = reader.next_item().unwrap_or_else(|error| panic!("{name}: {error}")) {
            match item {
                Item::Line(section, line) => lines.push((section, line.to_owned())),
                Item::Attachment(line) => lines.push((Section::Attachments, line.to_owned())),
            }
        }
        Self(lines)
    }

    /// The lines of a section.
    pub(crate) fn of(&self, section: Section) -> Vec<&str> {
        self.0.iter().filter(|(of, _)| *of == section).map(|(_, line)| line.as_str()).collect()
    }

    /// Fails unless both have equal content, except for the audit, which grows.
    #[track_caller]
    pub(crate) fn assert_same(&self, other: &Self, what: &str) {
        for section in Section::ALL.into_iter().filter(|section| *section != Section::Audit) {
            let (ours, others) = (self.of(section), other.of(section));
            let differing = ours.iter().zip(&others).find(|(one, another)| one != another);
            assert!(differing.is_none(), "{what}: {section}: {differing:?}");
            assert_eq!(ours.len(), others.len(), "{what}: lines of {section}");
        }
    }
}
