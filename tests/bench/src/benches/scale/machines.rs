//! Four apis over one database, each with a data folder of its own and the rings of the first.

use tonic::transport::Channel;

use crate::Result;
use crate::load::connect;
use crate::system::{Role, System};

/// Users may keep as much as these minutes bring.
pub(super) const QUOTA: (&str, &str) = ("KIMBERLY_QUOTAS__LONG_TERM", "1GiB");
/// As `docs/sizing.md` advises for machines with two processors.
const CONNECTIONS: (&str, &str) = ("KIMBERLY_POSTGRES__MAX_CONNECTIONS", "8");
const APIS: usize = 4;

/// The apis.
pub(super) struct Machines {
    apis: Vec<System>,
    url: String,
}

impl Machines {
    /// Starts them; the first makes the tables.
    pub(super) async fn start(url: &str, owner_url: &str) -> Result<Self> {
        let place = ("KIMBERLY_POSTGRES__URL", url);
        let mut first = System::prepare(&[QUOTA, CONNECTIONS, place, ("KIMBERLY_POSTGRES__OWNER_URL", owner_url)])?;
        first.start(Role::Api).await?;
        let mut machines = Self { apis: vec![first], url: url.to_owned() };
        for _ in 1..APIS {
            let another = machines.another(&[]).await?;
            machines.apis.push(another);
        }
        Ok(machines)
    }

    /// One more, with more settings; it ends when it is dropped.
    pub(super) async fn another(&self, settings: &[(&str, &str)]) -> Result<System> {
        let rings = self.first().rings().display().to_string();
        let about = [QUOTA, CONNECTIONS, ("KIMBERLY_POSTGRES__URL", &self.url), ("KIMBERLY_KEYS__FOLDER", &rings)];
        let settings: Vec<_> = about.into_iter().chain(settings.iter().copied()).collect();
        let mut system = System::prepare(&settings)?;
        system.start(Role::Api).await?;
        Ok(system)
    }

    /// The first of them.
    pub(super) fn first(&self) -> &System {
        &self.apis[0]
    }

    /// Connections of so many clients to the first `apis` of them, in turns.
    pub(super) async fn channels(&self, apis: usize, clients: usize) -> Result<Vec<Channel>> {
        let mut channels = Vec::new();
        for client in 0..clients {
            channels.extend(connect(&self.apis[client % apis].api_url(), 1).await?);
        }
        Ok(channels)
    }

    /// Their processes.
    pub(super) fn pids(&self) -> Result<Vec<u32>> {
        self.apis.iter().map(|system| system.pid(Role::Api)).collect()
    }
}
