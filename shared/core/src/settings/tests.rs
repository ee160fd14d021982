//! Tests of settings.

use super::*;
use crate::consent::Retraction;
use crate::error::Error;
use crate::memory::Tier;

fn level(origin: Origin, choice: Result<ScoringChoice, &str>) -> WeightLevel {
    WeightLevel { origin, choice: choice.map_err(str::to_owned) }
}

fn own(scoring: ScoringChoice) -> UserSettings {
    UserSettings { scoring: Some(scoring), ..UserSettings::default() }
}

#[test]
fn without_any_setting_the_built_in_values_hold() {
    let holds = EffectiveSettings::resolve(&UserSettings::default(), &ServerDefaults::default());
    assert_eq!(holds.quota(Tier::ShortTerm), 512 * 1024);
    assert_eq!(holds.quota(Tier::LongTerm), 2 * 1024 * 1024);
    assert_eq!(holds.quota(Tier::Permanent), 10 * 1024 * 1024);
    assert_eq!(holds.hard_limit(Tier::LongTerm), 2 * 1024 * 1024 * 5 / 4);
    assert_eq!(holds.archive_allowance.value, (512 + 12 * 1024) * 1024);
    assert_eq!(holds.weights, Effective { value: Preset::Balanced.weights(), origin: Origin::Default });
    assert_eq!(holds.preset, Some(Preset::Balanced));
    assert_eq!(holds.grace, Effective { value: Span::days(30), origin: Origin::Default });
    assert!(holds.warnings.is_empty());
}

#[test]
fn users_value_wins_over_the_servers_and_says_so() {
    let user = UserSettings { long_term_quota_bytes: Some(4096), grace: Some(Span(0)), ..UserSettings::default() };
    let server = ServerDefaults { grace: (Span::days(7), Origin::Config), ..ServerDefaults::default() };
    let holds = EffectiveSettings::resolve(&user, &server);
    assert_eq!(holds.quotas[1], Effective { value: 4096, origin: Origin::User });
    assert_eq!(holds.grace, Effective { value: Span(0), origin: Origin::User });
    assert_eq!(EffectiveSettings::resolve(&UserSettings::default(), &server).grace.origin, Origin::Config);
}

#[test]
fn allowance_of_the_archive_follows_the_quotas_unless_it_is_set() {
    let user = UserSettings { permanent_quota_bytes: Some(1024), ..UserSettings::default() };
    let holds = EffectiveSettings::resolve(&user, &ServerDefaults::default());
    assert_eq!(holds.archive_allowance.value, (512 + 2 * 1024 + 1) * 1024);
    let server = ServerDefaults { archive_allowance_bytes: Some((5000, Origin::Config)), ..ServerDefaults::default() };
    let holds = EffectiveSettings::resolve(&user, &server);
    assert_eq!(holds.archive_allowance, Effective { value: 5000, origin: Origin::Config });
}

#[test]
fn weights_come_from_the_most_specific_level() {
    let levels = [
        level(Origin::HomeFile, Ok(ScoringChoice::Preset(Preset::Archival))),
        level(Origin::SystemFile, Ok(ScoringChoice::Preset(Preset::FreshContext))),
        level(Origin::Environment, Ok(ScoringChoice::Weights(Weights::new([1.0, 1.0, 0.0, 0.0])))),
    ];
    let mut server = ServerDefaults { weight_levels: levels.to_vec(), ..ServerDefaults::default() };
    let user = own(ScoringChoice::Weights(Weights::new([0.5, 0.5, 0.5, 0.5])));
    let holds = EffectiveSettings::resolve(&user, &server);
    assert_eq!(holds.weights, Effective { value: Weights::new([0.25; 4]), origin: Origin::User });
    assert_eq!(holds.preset, None);
    for origin in [Origin::HomeFile, Origin::SystemFile, Origin::Environment, Origin::Default] {
        let holds = EffectiveSettings::resolve(&UserSettings::default(), &server);
        assert_eq!(holds.weights.origin, origin);
        assert!(holds.warnings.is_empty());
        if !server.weight_levels.is_empty() {
            server.weight_levels.remove(0);
        }
    }
}

#[test]
fn invalid_weights_fall_through_to_the_next_level_with_a_warning() {
    let server = ServerDefaults {
        weight_levels: vec![
            level(Origin::HomeFile, Err("it is not YAML; write scoring_weights: with four numbers or preset:")),
            level(Origin::SystemFile, Ok(ScoringChoice::Weights(Weights::new([0.0; 4])))),
            level(Origin::Environment, Ok(ScoringChoice::Preset(Preset::TaskFocused))),
        ],
        ..ServerDefaults::default()
    };
    let user = own(ScoringChoice::Weights(Weights::new([2.0, 0.0, 0.0, 0.0])));
    let holds = EffectiveSettings::resolve(&user, &server);
    assert_eq!(holds.weights.origin, Origin::Environment);
    assert_eq!(holds.preset, Some(Preset::TaskFocused));
    assert_eq!(
        holds.warnings,
        [
            "scoring weights set for this user were ignored: relevance_to_goals is 2; 0 to 1 is allowed",
            "scoring weights in ~/.kimberly/scoring_weights.yaml were ignored: it is not YAML; write \
             scoring_weights: with four numbers or preset:",
            "scoring weights in /etc/kimberly/scoring_weights.yaml were ignored: weights are all 0; at least one \
             must be above 0",
        ]
    );
}

#[test]
fn invalid_stored_value_is_passed_over_with_a_warning() {
    let user = UserSettings { low_score: Some(f64::NAN), ..UserSettings::default() };
    let holds = EffectiveSettings::resolve(&user, &ServerDefaults::default());
    assert_eq!(holds.low_score, Effective { value: 0.5, origin: Origin::Default });
    assert_eq!(holds.warnings, ["low_score set for this user was ignored: it is NaN; 0 to 1 is allowed"]);
}

#[test]
fn every_violation_is_reported_with_its_path() {
    let wrong = UserSettings {
        short_term_quota_bytes: Some(1023),
        long_term_quota_bytes: Some((1 << 40) + 1),
        permanent_quota_bytes: Some(0),
        archive_allowance_bytes: Some((3 << 40) + 1),
        core_memory_bytes: Some(4_095),
        scoring: Some(ScoringChoice::Weights(Weights::new([0.5, -1.0, 0.0, 0.0]))),
        grace: Some(Span(-1)),
        daily_prune_cap_bytes: Some((1 << 40) + 1),
        meditation_interval: Some(Span::seconds(3_599)),
        short_term_lifetime: Some(Span::days(366)),
        low_score: Some(1.1),
        embedding_enabled: Some(true),
        reading_enabled: Some(true),
        merging_enabled: Some(true),
        vector_cap: Some(0),
        daily_embedding_limit: Some(1_000_000_001),
        weekly_embedding_limit: Some(0),
        consent_retraction: Some(Retraction::Seal),
    };
    let Err(Error::Invalid(found)) = wrong.check() else { panic!("passed") };
    let fields: Vec<_> = found.iter().map(|v| v.field.as_str()).collect();
    assert_eq!(
        fields,
        [
            "user_settings.short_term_quota_bytes",
            "user_settings.long_term_quota_bytes",
            "user_settings.permanent_quota_bytes",
            "user_settings.archive_allowance_bytes",
            "user_settings.core_memory_bytes",
            "user_settings.grace",
            "user_settings.daily_prune_cap_bytes",
            "user_settings.meditation_interval",
            "user_settings.short_term_lifetime",
            "user_settings.low_score",
            "user_settings.vector_cap",
            "user_settings.daily_embedding_limit",
            "user_settings.weights.emotional_weight",
        ]
    );
    assert_eq!(found[0].problem, "is 1023 bytes; 1024 bytes to 1099511627776 bytes is allowed");
    assert_eq!(found[7].problem, "is 3599 s; 3600 s to 31536000 s is allowed");
}

#[test]
fn a_users_wish_for_retracted_consents_goes_before_the_operators() {
    let of = |wish| {
        let user = UserSettings { consent_retraction: wish, ..UserSettings::default() };
        let server =
            ServerDefaults { consent_retraction: (Retraction::Seal, Origin::Config), ..ServerDefaults::default() };
        EffectiveSettings::resolve(&user, &server).consent_retraction
    };
    assert_eq!(of(None), Effective { value: Retraction::Seal, origin: Origin::Config });
    assert_eq!(of(Some(Retraction::Purge)), Effective { value: Retraction::Purge, origin: Origin::User });
}

#[test]
fn bounds_themselves_are_allowed() {
    let least = UserSettings {
        short_term_quota_bytes: Some(1024),
        archive_allowance_bytes: Some(1024),
        core_memory_bytes: Some(4 * 1024),
        grace: Some(Span(0)),
        daily_prune_cap_bytes: Some(0),
        meditation_interval: Some(Span::hours(1)),
        short_term_lifetime: Some(Span::seconds(60)),
        low_score: Some(0.0),
        ..own(ScoringChoice::Weights(Weights::new([0.0, 0.0, 0.0, 5e-324])))
    };
    let most = UserSettings {
        permanent_quota_bytes: Some(1 << 40),
        archive_allowance_bytes: Some(3 << 40),
        core_memory_bytes: Some(32 * 1024),
        grace: Some(Span::days(3_650)),
        daily_prune_cap_bytes: Some(1 << 40),
        meditation_interval: Some(Span::days(365)),
        short_term_lifetime: Some(Span::days(365)),
        low_score: Some(1.0),
        ..own(ScoringChoice::Weights(Weights::new([1.0; 4])))
    };
    assert!(least.check().is_ok() && most.check().is_ok() && UserSettings::default().check().is_ok());
}

#[test]
fn settings_written_before_a_field_existed_still_read() {
    let read: UserSettings = serde_json::from_str(r#"{"scoring":{"preset":"task-focused"}}"#).unwrap();
    assert_eq!(read, own(ScoringChoice::Preset(Preset::TaskFocused)));
}

#[test]
fn embeddings_follow_the_server_and_a_user_can_only_turn_off_what_is_on() {
    let mut server = ServerDefaults::default();
    let wish = |wish| UserSettings { embedding_enabled: wish, vector_cap: Some(10), ..UserSettings::default() };
    let off = EffectiveSettings::resolve(&wish(Some(true)), &server).embedding;
    assert!(!off.enabled.value && !off.limits().server_on);
    server.embedding.on = true;
    let holds = EffectiveSettings::resolve(&wish(None), &server).embedding;
    assert_eq!(holds.enabled, Effective { value: true, origin: Origin::Config });
    assert_eq!(holds.vector_cap, Effective { value: 10, origin: Origin::User });
    assert_eq!(holds.daily_limit, Effective { value: 500, origin: Origin::Default });
    let own = EffectiveSettings::resolve(&wish(Some(false)), &server).embedding;
    assert_eq!(own.enabled, Effective { value: false, origin: Origin::User });
    assert!(own.limits().server_on && !own.limits().user_on);
}

#[test]
fn steps_that_read_and_temperature_are_switched_for_one_user_and_for_all() {
    let steps = |user: &UserSettings, server: &ServerDefaults| {
        let holds = EffectiveSettings::resolve(user, server);
        ["retain", "link", "temper"].map(|step| holds.has_step(step))
    };
    let (user, mut server) = (UserSettings::default(), ServerDefaults::default());
    assert_eq!(steps(&user, &server), [true, true, true]);
    let off = UserSettings { reading_enabled: Some(false), ..UserSettings::default() };
    assert_eq!(steps(&off, &server), [true, false, false]);
    server.steps.0.insert("temper", StepSetting { enabled: false, ..StepSetting::default() });
    assert_eq!(steps(&user, &server), [true, true, false]);
}

#[test]
fn nights_merge_where_the_server_or_the_user_says_so_and_a_run_that_asks_for_it_always() {
    let (user, mut server) = (UserSettings::default(), ServerDefaults::default());
    let on = UserSettings { merging_enabled: Some(true), ..UserSettings::default() };
    let off = UserSettings { merging_enabled: Some(false), ..UserSettings::default() };
    let has = |user: &UserSettings, server: &ServerDefaults, asked| {
        let holds = EffectiveSettings::resolve(user, server);
        if asked { holds.may_run("consolidate") } else { holds.has_step("consolidate") }
    };
    assert!(!has(&user, &server, false) && has(&on, &server, false) && has(&user, &server, true));
    server.merging = (true, Origin::Config);
    assert!(has(&user, &server, false) && !has(&off, &server, false) && has(&off, &server, true));
    server.steps.0.insert("consolidate", StepSetting { enabled: false, ..StepSetting::default() });
    assert!(!has(&on, &server, false) && !has(&on, &server, true));
}
