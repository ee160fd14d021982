//! Shows a file or a directory.

use super::super::App;
use super::Told;
use super::files::{Found, find, too_many};
use crate::bounds::MAX_TOOL_FILES;
use crate::error::Result;
use crate::ids::UserId;
use crate::memory_tool::{directory, file, name_of};

impl App {
    pub(super) async fn view_path(
        &self,
        user: &UserId,
        namespace: String,
        path: String,
        range: Option<Vec<i64>>,
    ) -> Result<Told> {
        let name = match name_of(&path) {
            Ok(name) => name,
            Err(why) => return Ok(Err(why)),
        };
        let asked = name.clone();
        let read = self.vaults.read(user, move |reader| {
            let (namespace, name) = (namespace.clone(), asked.clone());
            Box::pin(async move { find(reader, &namespace, name.as_deref()).await })
        });
        Ok(match read.await? {
            Found::File(memory) => file(&path, &memory.draft.content, range.as_deref()),
            Found::Directory(files) if files.len() > MAX_TOOL_FILES => Err(too_many(&path)),
            Found::Directory(files) => {
                let above = name.as_deref().unwrap_or("memories").len() + 1;
                Ok(directory(&path, files.iter().map(|one| (&one.name[above..], one.content_bytes))))
            }
            Found::Nothing => Err(format!("The path {path} does not exist. Please provide a valid path.")),
        })
    }
}
