//! Tests of the precedence of sources, refusals, and the sample file.

use std::fs;
use std::path::{Path, PathBuf};

use kimberly_core::meditation::steps::{Step, pipeline};
use kimberly_core::scoring::Preset;
use kimberly_core::settings::{Origin, ScoringChoice};

use super::*;

/// An environment with an empty home and these variables.
fn env(vars: &[(&str, &str)]) -> Environment {
    let home = [("HOME".to_owned(), "/nonexistent".to_owned())];
    Environment(vars.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).chain(home).collect())
}

/// The defaults in the environment of [`env`].
fn defaults() -> Config {
    Config { data_dir: PathBuf::from("/nonexistent/.local/share/kimberly"), ..Config::default() }
}

fn written(text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kimberly.toml");
    fs::write(&file, text).unwrap();
    (folder, file)
}

fn load(text: &str, vars: &[(&str, &str)]) -> Result<Loaded, Problems> {
    let (_folder, file) = written(text);
    Config::load(Some(&file), &env(vars))
}

fn refusal(text: &str, vars: &[(&str, &str)]) -> String {
    load(text, vars).unwrap_err().to_string()
}

#[test]
fn nothing_said_means_the_defaults_and_they_are_valid() {
    let loaded = Config::load(None, &env(&[])).unwrap();
    assert_eq!(loaded.config, defaults());
    assert_eq!(loaded.defaults.grace.1, Origin::Default);
    assert_eq!(loaded.defaults.weight_levels, vec![]);
    let built_in = ServerDefaults::default();
    assert_eq!(format!("{:?}", loaded.defaults), format!("{built_in:?}"), "core and runtime disagree on a default");
}

#[test]
fn the_environment_wins_over_the_file_and_the_file_over_the_defaults() {
    let text = "[quotas]\nlong_term = \"4MiB\"\nshort_term = 2048\n[retention]\ngrace = \"60d\"";
    let vars = [("KIMBERLY_QUOTAS__LONG_TERM", "8MiB"), ("KIMBERLY_DATA_DIR", "/tmp/k")];
    let loaded = load(text, &vars).unwrap();
    assert_eq!(loaded.defaults.long_term_quota_bytes, (8 << 20, Origin::Config));
    assert_eq!(loaded.defaults.short_term_quota_bytes, (2048, Origin::Config));
    assert_eq!(loaded.defaults.permanent_quota_bytes, (10 << 20, Origin::Default));
    assert_eq!(loaded.defaults.grace, (kimberly_core::time::Span::days(60), Origin::Config));
    assert_eq!(loaded.config.data_dir, PathBuf::from("/tmp/k"));
}

#[test]
fn a_value_that_equals_the_default_still_comes_from_the_operator() {
    let loaded = load("[quotas]\nlong_term = \"2MiB\"", &[]).unwrap();
    assert_eq!(loaded.defaults.long_term_quota_bytes, (2 << 20, Origin::Config));
}

#[test]
fn a_misspelt_key_is_named_with_the_keys_that_exist() {
    let message = refusal("[api]\nlisten_on = \"127.0.0.1:1\"", &[]);
    assert!(
        message.contains("\"listen_on\"") && message.contains("[api]") && message.contains("touch_interval"),
        "{message}"
    );
    let message = refusal("[apy]\nlisten = \"127.0.0.1:1\"", &[]);
    assert!(message.contains("\"apy\"") && message.contains("top level") && message.contains("worker"), "{message}");
    let message = refusal("", &[("KIMBERLY_VAULTS__MAX_OPN", "3")]);
    assert!(
        message.contains("max_opn") && message.contains("max_open") && message.contains("environment"),
        "{message}"
    );
}

#[test]
fn a_single_underscore_in_a_variable_is_explained() {
    let message = refusal("", &[("KIMBERLY_API_LISTEN", "127.0.0.1:1")]);
    assert!(message.contains("KIMBERLY_API__LISTEN"), "{message}");
}

#[test]
fn variables_of_ours_that_are_no_keys_are_left_alone() {
    let vars = [
        ("KIMBERLY_USER", "ann"),
        ("KIMBERLY_CA", "ca.pem"),
        ("KIMBERLY_TLS_CERT", "me.pem"),
        ("KIMBERLY_TLS_KEY", "me.key"),
        ("KIMBERLY_SERVER", "http://127.0.0.1:7420"),
        ("KIMBERLY_LOG", "debug"),
        ("KIMBERLY_BIN_DIR", "/opt"),
        ("KIMBERLY_WEIGHT_RECENCY", "0.2"),
        ("KIMBERLY_TEST_SEED", "4"),
        ("OTHER", "x"),
    ];
    assert_eq!(load("", &vars).unwrap().config, defaults());
}

#[test]
fn every_value_out_of_bounds_is_reported_with_its_bounds() {
    let text = "[vaults]\nmax_open = 0\nkept_bytes = \"65GiB\"\n[retention]\nlow_score = 1.5\ngrace = \"9999d\"\n[quotas]\nlong_term = 10";
    let message = refusal(text, &[]);
    for part in [
        "vaults.max_open is 0; 1 to 100000",
        "vaults.kept_bytes is 65GiB; 0B to 64GiB",
        "low_score is 1.5; 0 to 1",
        "9999d; 0ms to 3650d",
        "long_term is 10B; 1KiB to 1TiB",
    ] {
        assert!(message.contains(part), "{part} is missing in {message}");
    }
}

#[test]
fn values_of_the_wrong_kind_say_what_is_expected() {
    let message = refusal("[retention]\ngrace = \"soon\"", &[]);
    assert!(message.contains("retention.grace") && message.contains("soon") && message.contains("30d"), "{message}");
    let message = refusal("[api]\nlisten = 7420", &[]);
    assert!(message.contains("api.listen"), "{message}");
    let message = refusal("[api\n", &[]);
    assert!(message.contains("kimberly.toml"), "{message}");
    assert!(refusal("[retention]\nlow_score = nan", &[]).contains("low_score"));
}

#[test]
fn a_wrong_value_is_located_where_it_was_set() {
    let file = "[vaults]\nmax_open = \"many\"";
    let message = refusal(file, &[("KIMBERLY_VAULTS__KEPT_BYTES", "1GiB")]);
    assert!(
        message.contains("vaults.max_open is string \"many\" (") && message.contains("kimberly.toml)"),
        "{message}"
    );
    let message = refusal(file, &[("KIMBERLY_VAULTS__MAX_OPEN", "[2]")]);
    assert!(message.contains("vaults.max_open is sequence (the environment); it must be"), "{message}");
}

#[test]
fn addresses_that_other_machines_reach_are_refused() {
    for key in [
        "KIMBERLY_API__LISTEN",
        "KIMBERLY_WORKER__LISTEN",
        "KIMBERLY_EMBEDDER__LISTEN",
        "KIMBERLY_TELEMETRY__PROMETHEUS_LISTEN",
    ] {
        let message = refusal("", &[(key, "0.0.0.0:7420")]);
        assert!(message.contains("127.0.0.1:7420"), "{key}: {message}");
    }
    assert!(load("", &[("KIMBERLY_API__LISTEN", "[::1]:7420")]).is_ok());
}

#[test]
fn a_named_file_must_exist() {
    let message = Config::load(Some(Path::new("/nonexistent/k.toml")), &env(&[])).unwrap_err().to_string();
    assert!(message.contains("/nonexistent/k.toml"), "{message}");
    let (_folder, file) = written("[worker]\nconcurrency = 7");
    let named = env(&[("KIMBERLY_CONFIG", file.to_str().unwrap())]);
    assert_eq!(Config::load(None, &named).unwrap().config.worker.concurrency, 7);
}

const SAMPLE: &str = include_str!("../../../../deploy/kimberly.sample.toml");

/// The sample with all keys uncommented, with or without those that have no default.
fn uncommented(with_unset: bool) -> String {
    let key =
        |line: &&str| line.strip_prefix('#').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()));
    let keep = |line: &&str| with_unset || !line.contains("# no default");
    SAMPLE.lines().filter(keep).map(|line| if key(&line) { &line[1..] } else { line }).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_sample_file_shows_every_key_with_its_default() {
    assert_eq!(load(SAMPLE, &[]).unwrap().config, defaults());
    assert_eq!(load(&uncommented(false), &[]).unwrap().config, Config::default());
    let (_folder, file) = written(&uncommented(true));
    let shown = Layers::read(Some(file), &env(&[])).unwrap();
    let config = serde_json::to_value(load(&uncommented(true), &[]).unwrap().config).unwrap();
    for (section, value) in config.as_object().unwrap() {
        match value.as_object() {
            Some(keys) => {
                for key in keys.keys() {
                    assert!(shown.contains(&format!("{section}.{key}")), "{section}.{key}");
                }
            }
            None => assert!(shown.contains(section), "{section}"),
        }
    }
    // Keys without default are skipped above when unset; this count fails if a new one is not in the sample.
    let optional = format!("{:?}", Config::default()).matches(": None").count();
    assert_eq!(SAMPLE.matches("# no default").count(), optional);
}

/// A configuration whose weight files contain these texts.
fn weights(
    home: Option<&str>,
    system: Option<&str>,
    vars: &[(&str, &str)],
) -> Vec<(Origin, Result<ScoringChoice, String>)> {
    let folder = tempfile::tempdir().unwrap();
    let (home_file, system_file) = (folder.path().join("home.yaml"), folder.path().join("system.yaml"));
    for (path, text) in [(&home_file, home), (&system_file, system)] {
        if let Some(text) = text {
            fs::write(path, text).unwrap();
        }
    }
    let text = format!("[scoring]\nhome_file = {home_file:?}\nsystem_file = {system_file:?}");
    let levels = load(&text, vars).unwrap().defaults.weight_levels;
    levels.into_iter().map(|level| (level.origin, level.choice)).collect()
}

const FOUR: &str =
    "scoring_weights:\n  relevance_to_goals: 1\n  emotional_weight: 0.5\n  predictive_value: 0\n  recency_freq: 0.25\n";

#[test]
fn weights_are_found_in_home_then_system_then_environment_then_configuration() {
    let vars = [("KIMBERLY_WEIGHT_RECENCY", "0.9"), ("KIMBERLY_SCORING__PRESET", "archival")];
    let found = weights(Some(FOUR), Some("preset: fresh-context\n"), &vars);
    let origins: Vec<Origin> = found.iter().map(|(origin, _)| *origin).collect();
    assert_eq!(origins, [Origin::HomeFile, Origin::SystemFile, Origin::Environment, Origin::Config]);
    assert!(matches!(&found[0].1, Ok(ScoringChoice::Weights(w)) if (w.relevance_to_goals - 1.0).abs() < 1e-12));
    assert_eq!(found[1].1, Ok(ScoringChoice::Preset(Preset::FreshContext)));
    assert!(
        matches!(&found[2].1, Ok(ScoringChoice::Weights(w)) if (w.recency_freq - 0.9).abs() < 1e-12 && (w.emotional_weight - 0.3).abs() < 1e-12)
    );
    assert_eq!(found[3].1, Ok(ScoringChoice::Preset(Preset::Archival)));
}

#[test]
fn files_of_weights_may_name_their_preset_within_or_alone() {
    for written in ["scoring_weights:\n  preset: task-focused\n", "preset: task-focused\n"] {
        let found = weights(Some(written), None, &[]);
        assert_eq!(found, [(Origin::HomeFile, Ok(ScoringChoice::Preset(Preset::TaskFocused)))], "{written}");
    }
}

#[test]
fn a_file_that_is_not_there_is_no_level() {
    assert_eq!(weights(None, None, &[]), vec![]);
}

#[test]
fn invalid_weights_are_a_level_with_a_sentence_that_names_the_file() {
    for bad in [
        "preset: wild\n",
        "scoring_weights:\n  relevance_to_goals: 2\n  emotional_weight: 0\n  predictive_value: 0\n  recency_freq: 0\n",
        "scoring_weights:\n  relevance_to_goals: 0\n  emotional_weight: 0\n  predictive_value: 0\n  recency_freq: 0\n",
        "scoring_weights:\n  relevance_to_goals: .nan\n  emotional_weight: 0\n  predictive_value: 0\n  recency_freq: 1\n",
        "scoring_weights:\n  relevance_to_goals: 1\n",
        "scoring_weights:\n  preset: wild\n",
        "scoring_weights:\n  preset: archival\npreset: archival\n",
        "scoring_weights:\n  relevance_to_goals: 1\n  preset: archival\n",
        "scoring_weights:\n",
        "weights: 3\n",
        "{{{",
        "",
    ] {
        let found = weights(Some(bad), Some("preset: archival\n"), &[]);
        let sentence = found[0].1.clone().unwrap_err();
        assert!(sentence.contains("home.yaml"), "{bad:?}: {sentence}");
        assert_eq!(found[1], (Origin::SystemFile, Ok(ScoringChoice::Preset(Preset::Archival))));
    }
    let found = weights(None, None, &[("KIMBERLY_WEIGHT_EMOTIONAL", "lots")]);
    assert!(found[0].1.clone().unwrap_err().contains("KIMBERLY_WEIGHT_EMOTIONAL"));
}

#[test]
fn weights_that_were_passed_over_are_warned_about() {
    let loaded = load("", &[("KIMBERLY_WEIGHT_EMOTIONAL", "7")]).unwrap();
    assert_eq!(loaded.warnings().len(), 1, "{:?}", loaded.warnings());
}

#[test]
fn one_users_reads_and_writes_leave_room_for_others() {
    let room = |requests: usize, calls: usize| {
        let text = format!("[api]\nmax_concurrent_requests = {requests}\n[limits]\nmax_calls_per_user = {calls}");
        load(&text, &[]).map(drop).map_err(|problems| problems.to_string())
    };
    assert_eq!(room(1_001, 500), Ok(()));
    let message = room(1_000, 500).unwrap_err();
    assert!(message.contains("max_concurrent_requests is 1000") && message.contains("set it above 1000"));
    let defaults = Config::default();
    let lines = 2 * defaults.limits.max_waiting_calls + defaults.limits.max_running_writes;
    assert!(defaults.api.max_concurrent_requests > lines, "waiting calls alone cannot fill the places");
}

#[test]
fn deep_variables_are_refused_and_end_no_process() {
    let lists = "[".repeat(1_000_000);
    assert!(load("", &[("KIMBERLY_API__ALLOWED_HOSTS", &lists)]).is_err());
    let name = format!("KIMBERLY_{}", "A__".repeat(1_000_000));
    assert!(load("", &[(&name, "1")]).is_err());
}

#[test]
fn steps_of_meditation_are_set_by_name_and_an_unknown_one_names_those_there_are() {
    let loaded =
        load("[meditation.steps.retain]\nevery = \"2d\"\ncap = 5\n[meditation.steps.expire]\nenabled = false", &[]);
    let steps = loaded.unwrap().defaults.steps;
    assert_eq!((steps.of("retain").every, steps.of("retain").cap), (Some(Period::days(2).span()), Some(5)));
    assert!(!steps.of("expire").enabled && steps.of("score").enabled && steps.shortest().is_some());
    let message = load("[meditation.steps.dream]\ncap = 5", &[]).unwrap_err().to_string();
    let names = pipeline().map(Step::name).join(", ");
    assert!(message.contains("\"dream\"") && message.contains(&names), "{message}");
    for (wrong, key) in [("every = \"59m\"", "every"), ("every = \"91d\"", "every"), ("often = 1", "often")] {
        let message = load(&format!("[meditation.steps.score]\n{wrong}"), &[]).unwrap_err().to_string();
        assert!(message.contains(key), "{message}");
    }
}
