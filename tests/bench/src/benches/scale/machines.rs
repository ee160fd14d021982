//! Four apis over one database, each with its own data folder and the rings of the first.

use tonic::transport::Channel;

use crate::Result;
use crate::load::connect;
use crate::system::{Role, System};

/// A quota large enough for the measurements.
pub(super) const QUOTA: (&str, &str) = ("KIMBERLY_QUOTAS__LONG_TERM", "1GiB");
/// As `docs/sizing.md` recommends for machines with two processors.
const CONNECTIONS: (&str, &str) = ("KIMBERLY_POSTGRES__MAX_CONNECTIONS", "8");
const APIS: usize = 4;

/// The apis.
pub(super) struct Machines {
    apis: Vec<System>,
    url: String,
}

impl Machines {
    /// Starts them; the first creates the tables.
    pub(super) async fn start(url: &str, owner_url: &str) -> Result<Self> {
        let address = ("KIMBERLY_POSTGRES__URL", url);
        let mut first = System::prepare(&[QUOTA, CONNECTIONS, address, ("KIMBERLY_POSTGRES__OWNER_URL", owner_url)])?;
        first.start(Role::Api).await?;
        let mut machines = Self { apis: vec![first], url: url.to_owned() };
        for _ in 1..APIS {
            let another = machines.another(&[]).await?;
            machines.apis.push(another);
        }
        Ok(machines)
    }

    /// Another api with additional settings; stopped on drop.
    pub(super) async fn another(&self, settings: &[(&str, &str)]) -> Result<System> {
        let rings = self.first().rings().display().to_string();
        let about = [QUOTA, CONNECTIONS, ("KIMBERLY_POSTGRES__URL", &self.url), ("KIMBERLY_KEYS__FOLDER", &rings)];
        let settings: Vec<_> = about.into_iter().chain(settings.iter().copied()).collect();
        let mut system = System::prepare(&settings)?;
        system.start(Role::Api).await?;
        Ok(system)
    }

    /// The first api.
    pub(super) fn first(&self) -> &System {
        &self.apis[0]
    }

    /// Connections of `clients` to the first `apis`, distributed evenly.
    pub(super) async fn channels(&self, apis: usize, clients: usize) -> Result<Vec<Channel>> {
        let mut channels = Vec::new();
        for client in 0..clients {
            channels.extend(connect(&self.apis[client % apis].api_url(), 1).await?);
        }
        Ok(channels)
    }

    /// Their process ids.
    pub(super) fn pids(&self) -> Result<Vec<u32>> {
        self.apis.iter().map(|system| system.pid(Role::Api)).collect()
    }
}
