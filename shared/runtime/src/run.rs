//! The life cycle of a process: arguments, configuration, telemetry, body, graceful stop.

use std::ffi::OsString;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use kimberly_crypto::Loads;
use rustix::fs::Mode;
use tokio::runtime::Runtime;

use crate::config::{Environment, Loaded, LogFormat};
use crate::keys::{KeyStoreFn, in_data_folder};
use crate::telemetry::Telemetry;
use crate::{Boot, Config, Failure, MainResult, Shutdown, SystemClock, SystemIds, leave};

/// How long threads may continue after the body has ended.
const LINGER: Duration = Duration::from_millis(500);

/// How to run a process.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    process: &'static str,
    loads: Loads,
    in_background: bool,
    keys_in: KeyStoreFn,
}

impl Start {
    /// Creates a process of this name, such as `kimberly-api`, with all keys, and wrapped keys in the data folder.
    pub const fn new(process: &'static str) -> Self {
        Self { process, loads: Loads::Both, in_background: false, keys_in: in_data_folder }
    }

    /// Loads no sensitive key: the process never sees sensitive memories.
    #[must_use]
    pub const fn without_sensitive_key(self) -> Self {
        Self { loads: Loads::MasterOnly, ..self }
    }

    /// Lowers its priority: no call waits for its work.
    #[must_use]
    pub const fn in_background(self) -> Self {
        Self { in_background: true, ..self }
    }

    /// Uses the store of wrapped keys that `open` returns; `open` runs before anything is opened.
    #[must_use]
    pub const fn with_keys_in(self, open: KeyStoreFn) -> Self {
        Self { keys_in: open, ..self }
    }

    /// Runs the process: parses arguments and configuration, starts telemetry, prepares the data folder, runs `body`,
    /// and stops gracefully on SIGINT or SIGTERM. Exit code 0: success; 1: failure; 2: invalid arguments or
    /// configuration. Errors are printed on stderr as one message.
    pub fn run<F, Fut>(self, arguments: Vec<OsString>, body: F) -> !
    where
        F: FnOnce(Boot) -> Fut,
        Fut: Future<Output = MainResult>,
    {
        leave(self.code(arguments, body))
    }

    /// Makes `ps` and `top` name the process; Linux keeps the first 15 bytes.
    fn name_itself(self) {
        #[cfg(target_os = "linux")]
        if let Ok(name) = std::ffi::CString::new(self.process) {
            let _ = rustix::thread::set_name(&name);
        }
    }

    fn code<F, Fut>(self, arguments: Vec<OsString>, body: F) -> u8
    where
        F: FnOnce(Boot) -> Fut,
        Fut: Future<Output = MainResult>,
    {
        self.name_itself();
        if self.in_background {
            crate::priority::go_last();
        }
        let file = match crate::args::config_file(self.process, arguments) {
            Ok(file) => file,
            Err(code) => return code,
        };
        let env = Environment::of_process();
        let ended = Config::load(file.as_deref(), &env)
            .map_err(|problems| Failure::configuration(problems.to_string()))
            .and_then(|loaded| live(self, loaded, &env, body));
        match ended {
            Ok(()) => 0,
            Err(failure) => failure.report(self.process),
        }
    }
}

fn live<F, Fut>(start: Start, loaded: Loaded, env: &Environment, body: F) -> MainResult
where
    F: FnOnce(Boot) -> Fut,
    Fut: Future<Output = MainResult>,
{
    crate::pages::disable_huge();
    let runtime =
        Runtime::new().map_err(|error| Failure::new(format!("cannot start threads: {error}"), "free some memory"))?;
    let json = loaded.config.telemetry.log_format == LogFormat::Json;
    let ended = {
        let _inside = runtime.enter();
        let telemetry = Telemetry::start(start.process, &loaded.config.telemetry, env)?;
        crate::panics::install_hook();
        crate::own_memory::forbid_inspection(env);
        let ended = prepare(start, loaded, &telemetry).and_then(|boot| {
            let shutdown = boot.shutdown.clone();
            telemetry.serve_prometheus(&boot)?;
            runtime.block_on(shutdown.supervise(body(boot)))
        });
        match &ended {
            Ok(()) => tracing::info!("stopped"),
            // The human-readable message is printed once, at exit; machines read the log.
            Err(failure) if json => tracing::error!("{}", failure.message()),
            Err(_) => {}
        }
        telemetry.stop();
        ended
    };
    runtime.shutdown_timeout(LINGER);
    ended
}

fn prepare(start: Start, loaded: Loaded, telemetry: &Telemetry) -> Result<Boot, Failure> {
    let process = start.process;
    let warnings: Arc<[String]> = loaded.warnings().into();
    let file = loaded.file.as_ref().map_or_else(|| "built-in defaults".to_owned(), |path| path.display().to_string());
    tracing::info!("{process} {}, configuration: {file}", crate::VERSION);
    let noted = loaded.data_folder_note.iter().chain(warnings.iter());
    noted.for_each(|warning| tracing::warn!("{warning}"));
    let mut config = loaded.config;
    crate::files::fit_vaults(&mut config.vaults);
    // New files are private to this account.
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
    crate::prepare_data_dir(&config.data_dir)?;
    let keys = crate::keys::open(&config, start.loads, start.keys_in)?;
    let clock = Arc::new(SystemClock);
    let shutdown = Shutdown::new(&config.limits);
    tokio::spawn(crate::keys::watch(keys.clone(), telemetry.metrics().clone(), shutdown.token()));
    Ok(Boot {
        process,
        shutdown,
        config: Arc::new(config),
        keys,
        defaults: Arc::new(loaded.defaults),
        warnings,
        observer: telemetry.metrics().observer(clock.clone()),
        metrics: telemetry.metrics().clone(),
        clock,
        ids: Arc::new(SystemIds::default()),
    })
}
