//! Moves from a data folder to a database, and from there to another folder: the contents stay the same, interrupted
//! moves resume, changes during the move are copied, and what cannot be moved is named.

mod columns;
mod cut;
mod everything;
mod following;
mod refusals;

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use kimberly_core::error::Result;
use kimberly_store::conformance::{self, Bed};
use kimberly_store::moving::{End, Moved, Moving};
use kimberly_store::{SqliteOptions, SqliteStore};

use crate::postgres::common::{Database, Machine, Still, bed};
use everything::assert_same;

/// A data folder, with or without keys.
pub(crate) struct Folder {
    pub(crate) machine: Machine,
    pub(crate) encrypted: bool,
}

impl Folder {
    pub(crate) fn new(encrypted: bool) -> Self {
        Self { machine: Machine::new(), encrypted }
    }

    /// A folder that does not exist yet, on a machine with the same rings.
    pub(crate) fn beside(other: &Self) -> Self {
        let machine = if other.encrypted { Machine::with_rings_of(&other.machine) } else { Machine::new() };
        std::fs::remove_dir(machine.data()).unwrap();
        Self { machine, encrypted: other.encrypted }
    }

    pub(crate) async fn try_open(&self) -> Result<SqliteStore> {
        let mut options = SqliteOptions::new(self.machine.data());
        if self.encrypted {
            options.keys = self.machine.keys_in_files();
        }
        SqliteStore::open(options, Arc::new(Still)).await
    }

    pub(crate) async fn open(&self) -> Bed {
        Bed::of(self.try_open().await.unwrap(), ())
    }

    pub(crate) fn end(&self) -> End {
        End::folder(self.machine.data(), self.encrypted.then(|| self.machine.sources()))
    }
}

/// Opens a store in the database, as a process on the folder's machine would.
pub(crate) async fn open_database(database: &Database, folder: &Folder) -> Bed {
    if folder.encrypted {
        return bed(folder.machine.store(database).await, ());
    }
    bed(database.store().await, ())
}

pub(crate) fn end_of(database: &Database) -> End {
    End::Database(Box::new(database.options()))
}

/// Moves everything while no process uses the source.
pub(crate) async fn moves(from: End, to: End) -> Result<Moved> {
    let moving = Moving::begin(from, to, true).await?.unwrap();
    moving.pass(&|_| ()).await?;
    let moved = finish(&moving).await?;
    moving.close().await;
    Ok(moved)
}

/// Finishes the move once the connections of a closed store have ended.
pub(crate) async fn finish(moving: &Moving) -> Result<Moved> {
    loop {
        if let Some(moved) = moving.finish(&|_| ()).await? {
            return Ok(moved);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

pub(crate) async fn close(bed: Bed) {
    bed.vaults.close().await;
    drop(bed);
}

type Claim = for<'b> fn(&'b Bed) -> BoxFuture<'b, ()>;

/// Moves the state that a claim leaves to a database and back to another folder.
async fn there_and_back(claim: Claim, encrypted: bool) {
    let (folder, database) = (Folder::new(encrypted), Database::make().await);
    let first = folder.open().await;
    claim(&first).await;
    let expected = everything::of(&first).await;
    close(first).await;
    let there = moves(folder.end(), end_of(&database)).await.unwrap();
    assert!(there.rows > 0 && there.digest.len() == 64, "{there:?}");
    let second = open_database(&database, &folder).await;
    assert_same(&expected, &everything::of(&second).await, "in the database");
    close(second).await;
    let other = Folder::beside(&folder);
    let back = moves(end_of(&database), other.end()).await.unwrap();
    assert_eq!(back, there, "every row is the same, and every count");
    let third = other.open().await;
    assert_same(&expected, &everything::of(&third).await, "in another folder");
    // Writing continues normally.
    third.remember("somebody new", [conformance::fixtures::draft("tea")]).await;
    close(third).await;
}

macro_rules! moved {
    ($name:ident $encrypted:literal: $($module:ident $claim:ident)*) => {
        mod $name {
            use kimberly_store::conformance;
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $claim() {
                    Box::pin(super::there_and_back(|bed| Box::pin(conformance::$module::$claim(bed)), $encrypted)).await;
                }
            )*
        }
    };
}

moved! { encrypted true:
    attachments whatever_erases_the_last_memory_takes_attachment_and_blob_along
    attachments blobs_are_listed_until_they_are_forgotten
    attachments what_hangs_on_a_sensitive_memory_is_to_be_sealed_until_it_is
    audit packed_entries_read_as_before
    audit old_entries_are_pruned_from_the_oldest
    changes old_changes_are_forgotten_from_the_oldest
    consents what_is_withheld_comes_back_as_far_as_the_new_scope_holds_it
    consents what_is_to_be_erased_goes_in_steps_and_leaves_nothing
    counting counters_always_equal_a_full_count
    credentials certificates_are_found_by_their_names_and_each_has_one_credential
    decisions decisions_are_carried_out_and_stored_in_order
    declared rows_read_back_and_are_replaced_by_their_key
    embedding computed_vectors_are_counted_by_day_and_week
    exports progress_of_imports_is_stored_until_forgotten
    goals goals_round_trip_in_order
    isolation any_user_id_has_a_vault_of_its_own
    meditations old_runs_go_with_their_decisions_but_for_the_latest
    namespaces namespaces_divide_a_vault_and_are_filtered_everywhere
    outbox jobs_wait_in_order_until_removed
    positions the_latest_speakers_are_known
    purges a_purged_user_is_hidden_then_gone_and_starts_empty
    records every_field_of_a_memory_reads_back
    requests answers_are_stored_until_forgotten
    scores scores_arrive_bit_by_bit
    sensitive changes_of_sensitive_memories_are_found_at_once
}

moved! { plain false:
    counting counters_always_equal_a_full_count
    records every_field_of_a_memory_reads_back
    strings any_string_is_a_valid_query
}
