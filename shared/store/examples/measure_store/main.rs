//! Measures the store on this machine: `cargo run --release -p kimberly-store --example measure_store [folder]`.
//!
//! Trust the ratios: every figure is printed beside that of the bare machine in the same run.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "prints figures; a failure should stop it")]

mod figures;
mod meditating;
mod opening;
mod reading;
mod texts;
mod writing;

use std::sync::Arc;

use kimberly_store::{SqliteOptions, SqliteStore};

use figures::vault_of;
use opening::{opening, sizes};
use reading::reads;
use texts::{Dice, FixedClock};
use writing::{imports, writes};

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let base = std::env::args().nth(1).unwrap_or_else(|| "target".to_owned());
        std::fs::create_dir_all(&base).unwrap();
        let folder = tempfile::tempdir_in(base).unwrap();
        let options = SqliteOptions::new(folder.path().join("data"));
        let store = SqliteStore::open(options.clone(), Arc::new(FixedClock)).await.unwrap();
        let mut dice = Dice(1);
        writes(&store, folder.path(), &mut dice).await;
        imports(&store, &mut dice).await;
        reads(&store, &vault_of(&options.data_dir, "reader"), &mut dice).await;
        meditating::meditation(&store).await;
        sizes(&store, &mut dice).await;
        store.vaults().close().await;
        opening(&SqliteOptions { data_dir: folder.path().join("many"), ..options }, 300).await;
    });
}
