//! The data sent to one user.

use kimberly_proto::v1;

use super::items::Items;

/// Settings and the fields that they set.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::commands) struct Settings {
    pub(super) values: v1::UserSettings,
    pub(super) paths: Vec<String>,
}

/// The data sent to one user.
#[derive(Debug)]
pub(super) struct Load {
    pub(super) user: String,
    pub(super) items: Items,
    /// Number of memories.
    pub(super) memories: u64,
    /// Number of attachments.
    pub(super) attachments: u64,
    pub(super) consents: Vec<v1::Consent>,
    pub(super) goals: Vec<v1::Goal>,
    pub(super) links: Vec<v1::MemoryLink>,
    /// Whether goals keep their ids and times.
    pub(super) goals_are_records: bool,
    pub(super) settings: Option<Settings>,
    /// The format, if it is foreign. The same file read in another format is another import.
    pub(super) read_as: Option<&'static str>,
    /// Number of skipped pieces, which have no content to remember.
    pub(super) left_out: u64,
    pub(super) choices: Choices,
}

/// What the server does with memories that it cannot store as they are.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(super) struct Choices {
    /// Skip sensitive memories without a consent permanently, instead of stopping until one is recorded
    #[arg(long)]
    pub(super) skip_uncovered: bool,
    /// Archive memories that do not fit into their tier even after a meditation, instead of stopping
    #[arg(long)]
    pub(super) fit: bool,
    /// Bring back what was forgotten, too, instead of leaving it out
    #[arg(long)]
    pub(super) with_forgotten: bool,
}

impl Load {
    /// A load of these items only, not counted yet.
    pub(super) fn new(user: &str, items: Items) -> Self {
        Self {
            user: user.to_owned(),
            items,
            memories: 0,
            attachments: 0,
            consents: Vec::new(),
            goals: Vec::new(),
            links: Vec::new(),
            goals_are_records: false,
            settings: None,
            read_as: None,
            left_out: 0,
            choices: Choices::default(),
        }
    }
}
