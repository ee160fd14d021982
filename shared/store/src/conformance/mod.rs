//! One suite for every backend: each claim of the ports of `kimberly-core`, checked from outside.
//!
//! A backend's tests call [`conformance_suite!`](crate::conformance_suite) with a function that opens an empty backend.
//! To add a claim, write it in the file of its concern and add its name to the list below.
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "a claim that does not hold stops its test"
)]

pub mod attachments;
pub mod audit;
pub mod changes;
pub mod concurrency;
pub mod consents;
pub mod counting;
pub mod credentials;
pub mod database;
pub mod decisions;
pub mod declared;
pub mod embedding;
pub mod erasures;
pub mod exports;
pub mod filters;
pub mod fixtures;
pub mod goals;
pub mod graphs;
pub mod isolation;
pub mod lists;
pub mod meditations;
pub mod named;
pub mod namespaces;
pub mod outbox;
pub mod positions;
pub mod purges;
pub mod records;
pub mod registry;
pub mod requests;
pub mod rows;
pub mod scores;
pub mod search;
pub mod sensitive;
pub mod states;
pub mod strings;
pub mod transactions;
pub mod working;

use std::any::Any;
use std::path::Path;
use std::sync::Arc;

use kimberly_core::ports::{Credentials, Purges, Registry, SystemAudit, Vaults, WorkingMemory};
use kimberly_core::time::Span;
use kimberly_core::working::WorkingLimits;

use crate::{SqliteOptions, SqliteStore, Store};

const LIMITS: WorkingLimits =
    WorkingLimits { lifetime: Span::hours(1), store_bytes: 1024 * 1024, total_bytes: 64 * 1024 * 1024 };

/// An open, empty backend.
pub struct Bed {
    /// Its vaults.
    pub vaults: Arc<dyn Vaults>,
    /// Its registry.
    pub registry: Arc<dyn Registry>,
    /// Its credentials.
    pub credentials: Arc<dyn Credentials>,
    /// Its purges.
    pub purges: Arc<dyn Purges>,
    /// Its working memory.
    pub working: Arc<dyn WorkingMemory>,
    /// The audit of the system.
    pub audit: Arc<dyn SystemAudit>,
    /// Objects that must live as long as the backend, such as its folder.
    pub guard: Box<dyn Any + Send + Sync>,
}

impl Bed {
    /// Wraps a store, and what must live as long.
    pub fn of(store: impl Into<Store>, guard: impl Send + Sync + 'static) -> Self {
        let store = store.into();
        Self {
            vaults: store.vaults(),
            registry: store.registry(),
            credentials: store.credentials(),
            purges: store.purges(),
            working: store.working(LIMITS),
            audit: store.audit(),
            guard: Box::new((store, guard)),
        }
    }
}

/// Opens a store on a folder, as a process would, at the time of the fixtures.
pub async fn opened(folder: &Path) -> (SqliteStore, Bed) {
    let store = SqliteStore::open(SqliteOptions::new(folder), Arc::new(database::Still)).await.unwrap();
    (store.clone(), Bed::of(store, ()))
}

/// Generates one test per claim, each on a new backend: `conformance_suite!(open)`, where `open` is an `async fn() -> Bed`.
#[macro_export]
macro_rules! conformance_suite {
    ($open:path) => {
        $crate::conformance_suite! { @claims $open;
            attachments {
                attachments_round_trip_and_equal_contents_are_one_blob
                whatever_erases_the_last_memory_takes_attachment_and_blob_along
                what_never_hung_and_what_never_came_expires
                attachments_of_withheld_memories_are_hidden
                what_hangs_on_a_sensitive_memory_is_to_be_sealed_until_it_is
                a_limited_caller_sees_the_attachments_of_memories_within_reach
                blobs_are_listed_until_they_are_forgotten
            }
            audit {
                entries_read_back_as_a_chain
                entries_are_found_by_number_and_by_what_they_say
                what_was_taken_back_leaves_no_entry
                the_number_of_the_last_entry_is_stored_whichever_work_ends_the_commit
                entries_name_whom_the_work_acts_as
                chains_of_users_are_apart
                packed_entries_read_as_before
                old_entries_are_pruned_from_the_oldest
            }
            changes {
                every_change_is_remembered_in_the_order_of_commits
                concurrent_writers_share_one_order_of_changes
                changes_are_seen_with_their_memories_as_they_are_now
                old_changes_are_forgotten_from_the_oldest
                commits_are_signalled_to_watchers
            }
            concurrency {
                sixty_four_writers_lose_nothing
                a_failing_work_takes_only_its_own_changes_back
                a_refusal_comes_after_what_it_rests_on
                work_is_done_even_if_its_caller_went_away
                work_that_has_not_begun_is_dropped_with_its_caller
                a_panicking_work_harms_no_other
                readers_do_not_wait_for_a_writer
            }
            consents {
                records_of_consent_round_trip_newest_first
                a_memory_is_under_its_record_and_an_unknown_one_is_refused
                what_is_withheld_is_hidden_from_every_read
                what_is_withheld_comes_back_as_far_as_the_new_scope_holds_it
                what_is_to_be_erased_goes_in_steps_and_leaves_nothing
                links_of_what_is_to_be_erased_are_seen_where_that_is_asked
            }
            counting { counters_always_equal_a_full_count totals_count_each_memory_once }
            credentials {
                changes_of_credentials_are_recorded_in_the_audit_of_the_system
                certificates_are_found_by_their_names_and_each_has_one_credential
                credentials_read_back_and_names_are_given_once
                credentials_are_revoked_and_renewed
                the_last_use_of_credentials_never_moves_back
                the_local_credential_is_replaced_whole
            }
            decisions {
                decisions_are_carried_out_and_stored_in_order
                a_decision_about_a_changed_memory_is_passed_over
                erased_memories_leave_nothing_but_their_decisions
                only_what_the_system_erased_counts_for_the_day
                decisions_need_their_run
                decision_about_several_is_one_and_is_found_by_each
            }
            declared {
                rows_read_back_and_are_replaced_by_their_key
                rows_are_found_by_their_values_and_counted
                rows_go_with_their_memories
                rows_are_hidden_with_their_memories
                rows_of_withheld_memories_are_hidden
                memories_without_a_row_are_found
            }
            embedding {
                one_job_for_vectors_waits_at_a_time
                computed_vectors_are_counted_by_day_and_week
                what_has_vectors_is_listed_without_what_must_not
                what_has_vectors_is_listed_with_what_it_is_worth
                the_embed_setting_of_a_memory_can_be_changed
                the_version_moves_with_what_vectors_hang_on
                the_budget_of_a_day_is_given_out_once
            }
            erasures {
                an_erasure_is_reported_once_and_leaves_positions_empty
                memories_are_erased_in_any_state
                a_cycle_of_1500_is_erased_whole_and_a_chain_as_long_is_too_many
            }
            exports {
                records_come_back_with_everything_they_say
                imported_records_are_reported_and_due
                exports_go_on_by_number
                records_are_found_by_id
                progress_of_imports_is_stored_until_forgotten
                imports_are_remembered_up_to_a_bound
            }
            filters {
                each_condition_lets_the_right_memories_through
                kinds_and_belief_let_the_right_memories_through
                stale_memories_are_distinguished
                what_was_known_at_a_time_passes_as_it_held_then
                tags_of_nights_pass_as_those_of_people
                conditions_are_joined_with_and
            }
            goals { goals_round_trip_in_order a_goal_counts_as_a_change_of_every_memory }
            graphs {
                the_version_of_evidence_moves_with_what_graphs_are_built_from
                a_graph_is_built_once_while_its_evidence_stays_the_same
                graphs_that_name_what_was_erased_are_evicted_in_every_process
            }
            isolation {
                users_never_see_each_others_memories
                a_user_without_a_vault_reads_as_empty_and_gets_none
                any_user_id_has_a_vault_of_its_own
            }
            lists {
                pages_follow_each_other_without_gaps_or_repeats
                a_page_ends_before_it_gets_too_large
                equal_creation_times_are_ordered_by_number
            }
            meditations {
                runs_round_trip_newest_first
                the_waiting_run_and_the_last_complete_one_are_found
                old_runs_go_with_their_decisions_but_for_the_latest
            }
            named {
                a_record_is_found_by_its_name_within_its_namespace
                no_two_active_records_have_one_name
                names_come_in_the_order_of_their_bytes_sealed_or_not
                sixteen_writers_of_one_name_leave_one_record
            }
            namespaces {
                namespaces_divide_a_vault_and_are_filtered_everywhere
                a_vault_has_a_bounded_number_of_namespaces
            }
            outbox {
                jobs_wait_in_order_until_removed
                an_outbox_with_jobs_is_always_listed_as_pending
                a_taken_back_job_leaves_none
                pending_outboxes_of_unknown_users_can_be_cleared
            }
            positions {
                positions_count_up_within_a_session
                erased_positions_stay_empty
                a_memory_that_moves_takes_the_next_position
                speakers_are_distinguished_without_case_and_read_back_as_written
                the_latest_speakers_are_known
                neighbours_are_found_by_spot
                memories_are_found_by_number_as_the_filter_lets_them
            }
            purges {
                a_purge_is_recorded_in_the_audit_without_a_name
                a_purge_that_is_cut_anywhere_ends_with_the_same_receipt
                a_purged_user_is_hidden_then_gone_and_starts_empty
                credentials_of_a_purged_user_end_or_are_narrowed
                purges_are_listed_newest_first_of_one_user_or_of_all
            }
            records {
                every_field_of_a_memory_reads_back
                traits_of_other_rules_are_derived_again
                an_update_reads_back_and_retains_the_position
                texts_of_details_are_found_as_long_as_they_are_there
                an_update_of_an_unknown_memory_fails
                score_records_read_back
                memories_come_in_the_order_asked
            }
            registry {
                a_vault_registers_its_user_due_for_nothing
                due_users_come_longest_due_first
                only_one_moves_a_due_time
                users_are_listed_in_order
            }
            requests { answers_are_stored_until_forgotten the_context_of_a_write_is_whole settings_count_their_writes }
            rows {
                facts_come_in_the_order_asked
                words_are_known_among_what_passes
                a_limited_reader_is_one_of_a_vault_without_the_rest
                a_limited_writer_changes_what_it_reaches_alone
                what_is_about_whole_vaults_is_refused_to_the_limited
                a_chain_is_followed_as_far_as_its_reader_sees
                sizes_of_decisions_are_of_the_memory_alone
            }
            scores {
                new_touched_and_changed_memories_are_scored_again
                scores_arrive_bit_by_bit pages_to_score_have_few_bytes
                touches_add_up_and_never_move_time_back
                outcomes_are_summed_by_tag
                retention_sees_every_memory
                lasting_memories_are_distinguished
            }
            search {
                better_matches_come_first
                all_terms_phrases_and_prefixes_hold
                deleted_memories_are_not_found_and_come_back
                new_and_changed_words_are_found_at_once
                substrings_are_found_without_case_newest_first
                words_and_their_neighbours_are_known
                stems_of_the_index_are_those_of_core
                the_index_survives_a_rebuild a_rebuild_lets_other_writes_in_and_follows_them
                counters_are_corrected_by_a_difference
                the_version_changes_with_every_commit
                what_a_commit_adds_is_seen_by_the_next_reader
            }
            sensitive {
                sensitive_words_are_found_like_others
                sensitive_words_are_known_and_pieces_are_found
                changes_of_sensitive_memories_are_found_at_once
                a_work_finds_its_own_sensitive_words
            }
            states { states_set_times_and_revision }
            strings { any_string_is_a_valid_query }
            transactions {
                a_failed_work_changes_nothing
                a_reader_sees_one_snapshot
                a_work_sees_its_own_changes
                what_a_value_carries_comes_back
                what_only_ends_something_makes_no_vault
            }
            working {
                keyspaces_are_separate_and_entries_expire
                increments_at_once_lose_nothing
                a_batch_that_fails_leaves_nothing
                a_full_keyspace_evicts_the_least_recently_used
            }
        }
    };
    // Repeats the claims of some concerns with all memories sensitive.
    ($open:path, all_sensitive) => {
        $crate::conformance_suite! { @sensitive $open;
            changes { changes_are_seen_with_their_memories_as_they_are_now }
            concurrency { sixty_four_writers_lose_nothing a_failing_work_takes_only_its_own_changes_back }
            counting { counters_always_equal_a_full_count totals_count_each_memory_once }
            decisions { decisions_are_carried_out_and_stored_in_order erased_memories_leave_nothing_but_their_decisions }
            declared { rows_read_back_and_are_replaced_by_their_key rows_go_with_their_memories }
            erasures { an_erasure_is_reported_once_and_leaves_positions_empty memories_are_erased_in_any_state }
            exports { records_come_back_with_everything_they_say imported_records_are_reported_and_due }
            isolation { users_never_see_each_others_memories }
            lists { pages_follow_each_other_without_gaps_or_repeats a_page_ends_before_it_gets_too_large }
            named {
                a_record_is_found_by_its_name_within_its_namespace
                no_two_active_records_have_one_name
                sixteen_writers_of_one_name_leave_one_record
            }
            namespaces { namespaces_divide_a_vault_and_are_filtered_everywhere }
            positions { memories_are_found_by_number_as_the_filter_lets_them }
            records {
                every_field_of_a_memory_reads_back
                an_update_reads_back_and_retains_the_position
                texts_of_details_are_found_as_long_as_they_are_there
                memories_come_in_the_order_asked
            }
            scores { new_touched_and_changed_memories_are_scored_again outcomes_are_summed_by_tag }
            search {
                better_matches_come_first
                all_terms_phrases_and_prefixes_hold
                deleted_memories_are_not_found_and_come_back
                new_and_changed_words_are_found_at_once
                substrings_are_found_without_case_newest_first
                words_and_their_neighbours_are_known
                stems_of_the_index_are_those_of_core
                the_index_survives_a_rebuild a_rebuild_lets_other_writes_in_and_follows_them
                counters_are_corrected_by_a_difference
            }
            states { states_set_times_and_revision }
            strings { any_string_is_a_valid_query }
            transactions { a_failed_work_changes_nothing a_reader_sees_one_snapshot a_work_sees_its_own_changes }
        }
    };
    (@sensitive $open:path; $($concern:ident { $($claim:ident)+ })+) => { $($(
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $claim() {
            let bed = $open().await;
            $crate::conformance::fixtures::all_sensitive($crate::conformance::$concern::$claim(&bed)).await;
            bed.vaults.close().await;
        }
    )+)+ };
    (@claims $open:path; $($concern:ident { $($claim:ident)+ })+) => { $($(
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $claim() {
            let bed = $open().await;
            $crate::conformance::$concern::$claim(&bed).await;
            bed.vaults.close().await;
        }
    )+)+ };
}
