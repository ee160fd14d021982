//! The loaded rings of a process. They wrap and unwrap, and are reread when a key file names an unknown ring key.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Mutex, RwLock};

use super::Loads;
use crate::key_file::{KeyFile, WrappedKey};
use crate::source::{self, Locations};
use crate::stamp::Stamp;
use crate::wrap::{self, Purpose, WrapBox};
use crate::{KeyError, KeyId, KeyName, Ring, RingName, Secret32};

/// Minimum interval between rereads of a ring that is not a file: its source may be a slow command, and a key that
/// was retired too early would be missed on every call.
const PAUSE: Duration = Duration::from_secs(5);

/// A loaded ring, without its key material.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldRing {
    /// The ring.
    pub ring: RingName,
    /// The source of the ring.
    pub location: String,
    /// Whether the source is a file.
    pub is_file: bool,
    /// The ids of its keys; the last one wraps.
    pub keys: Vec<KeyId>,
}

/// The rings of a data folder and their sources.
pub(super) struct Rings {
    locations: Locations,
    held: RwLock<Arc<Held>>,
    /// The stamps of the rings' files at the last read.
    seen: Mutex<[Option<Stamp>; 2]>,
    looked: Mutex<Option<Instant>>,
}

struct Held {
    master: Ring,
    sensitive: Option<Ring>,
}

impl Rings {
    /// Loads the rings that a process needs. `missing` builds the error for a ring whose file is missing.
    pub(super) fn load(
        locations: Locations,
        loads: Loads,
        missing: impl Fn(RingName, &source::Location) -> KeyError,
    ) -> Result<Self, KeyError> {
        let of = |ring, location: &source::Location| location.load()?.ok_or_else(|| missing(ring, location));
        let seen = stamps(&locations);
        let master = of(RingName::Master, &locations.master)?;
        let sensitive = match loads {
            Loads::Both => Some(of(RingName::Sensitive, &locations.sensitive)?),
            Loads::MasterOnly => None,
        };
        let held = Held::new(master, sensitive)?;
        Ok(Self { locations, held: RwLock::new(Arc::new(held)), seen: Mutex::new(seen), looked: Mutex::new(None) })
    }

    /// Rereads the rings; the loaded ones stay if that fails.
    pub(super) fn reload(&self) -> Result<(), KeyError> {
        let gone = |ring, location: &source::Location| {
            KeyError::Source(format!("the {ring} key at {location} is gone; this process keeps using the loaded one"))
        };
        let of = |ring, location: &source::Location| location.load()?.ok_or_else(|| gone(ring, location));
        let now = stamps(&self.locations);
        let master = of(RingName::Master, &self.locations.master)?;
        let both = self.held.read().sensitive.is_some();
        let sensitive = both.then(|| of(RingName::Sensitive, &self.locations.sensitive)).transpose()?;
        let held = Held::new(master, sensitive)?;
        *self.held.write() = Arc::new(held);
        *self.seen.lock() = now;
        Ok(())
    }

    /// Rereads the rings if the file of one changed; returns whether it had. The loaded ones stay if that fails.
    pub(super) fn refresh(&self) -> Result<bool, KeyError> {
        if stamps(&self.locations) == *self.seen.lock() {
            return Ok(false);
        }
        self.reload().map(|()| true)
    }

    /// A loaded ring: its source and the ids of its keys, the current one last.
    pub(super) fn shown(&self, ring: RingName) -> Option<HeldRing> {
        let keys = self.held().ring(ring).ok()?.ids().cloned().collect();
        let location = self.location(ring);
        Some(HeldRing { ring, location: location.to_string(), is_file: location.file().is_some(), keys })
    }

    /// The key with which a ring wraps.
    pub(super) fn current(&self, ring: RingName) -> Result<KeyId, KeyError> {
        Ok(self.held().ring(ring)?.current().clone())
    }

    /// Whether this process holds a ring.
    pub(super) fn has(&self, ring: RingName) -> bool {
        self.held().ring(ring).is_ok()
    }

    /// Wraps a key for its position under the current key of its ring.
    pub(super) fn wrap(
        &self,
        data_id: &str,
        file: &KeyName,
        purpose: Purpose,
        generation: u32,
        secret: &Secret32,
    ) -> Result<WrappedKey, KeyError> {
        let held = self.held();
        let (by, key) = held.ring(purpose.ring())?.current_key();
        let context = wrap::WrapContext { data_id, file, purpose, generation };
        Ok(WrappedKey { generation, by: by.clone(), sealed: WrapBox::wrap(key, &context, secret)? })
    }

    /// Unwraps a key at its position.
    pub(super) fn unwrap(
        &self,
        data_id: &str,
        file: &KeyName,
        purpose: Purpose,
        wrapped: &WrappedKey,
    ) -> Result<Secret32, KeyError> {
        let held = self.holding(file, purpose.ring(), &wrapped.by)?;
        let key = held.ring(purpose.ring())?.key(&wrapped.by).ok_or(KeyError::NotLoaded)?;
        let context = wrap::WrapContext { data_id, file, purpose, generation: wrapped.generation };
        let opened = wrapped.sealed.unwrap(key, &context)?;
        opened.ok_or_else(|| KeyError::Unopened { what: format!("the key for {} in {file}", purpose.as_str()) })
    }

    /// Fails unless the rings hold every key that this file needs; rings that this process does not load are ignored.
    pub(super) fn knows_all_of(&self, name: &KeyName, file: &KeyFile) -> Result<(), KeyError> {
        let mut needed = file.keys().map(|(purpose, key)| (purpose.ring(), &key.by));
        needed.try_for_each(|(ring, by)| if self.has(ring) { self.holding(name, ring, by).map(drop) } else { Ok(()) })
    }

    /// The rings with a key that `file` needs. If it is missing, the ring is reread once.
    fn holding(&self, file: &KeyName, ring: RingName, by: &KeyId) -> Result<Arc<Held>, KeyError> {
        let mut held = self.held();
        if held.ring(ring)?.key(by).is_none() {
            // Files are reread when they change, other sources at most once per `PAUSE`.
            if !self.refresh()? && self.location(ring).file().is_none() && self.may_look_again() {
                self.reload()?;
            }
            held = self.held();
        }
        if held.ring(ring)?.key(by).is_some() {
            return Ok(held);
        }
        let location = self.location(ring).to_string();
        Err(KeyError::UnknownKey { what: file.to_string(), ring, id: by.clone(), location })
    }

    fn held(&self) -> Arc<Held> {
        Arc::clone(&self.held.read())
    }

    fn location(&self, ring: RingName) -> &source::Location {
        match ring {
            RingName::Master => &self.locations.master,
            RingName::Sensitive => &self.locations.sensitive,
        }
    }

    fn may_look_again(&self) -> bool {
        let mut looked = self.looked.lock();
        if looked.is_some_and(|at| at.elapsed() < PAUSE) {
            return false;
        }
        *looked = Some(Instant::now());
        true
    }
}

fn stamps(locations: &Locations) -> [Option<Stamp>; 2] {
    [&locations.master, &locations.sensitive].map(|location| location.file().map(Stamp::of))
}

impl Held {
    fn new(master: Ring, sensitive: Option<Ring>) -> Result<Self, KeyError> {
        if let Some(both) = sensitive.iter().flat_map(Ring::ids).find(|id| master.ids().any(|other| other == *id)) {
            return Err(KeyError::Refused(format!(
                "keys.master and keys.sensitive both contain the key {both}; give each its own, because the master \
                 key alone must not open sensitive data"
            )));
        }
        Ok(Self { master, sensitive })
    }

    fn ring(&self, name: RingName) -> Result<&Ring, KeyError> {
        match name {
            RingName::Master => Ok(&self.master),
            RingName::Sensitive => self.sensitive.as_ref().ok_or(KeyError::NotLoaded),
        }
    }
}
