//! Panics are defects and are logged with their location. The message is logged only if it is a string literal of the
//! program: a formatted one (such as that of a slice out of bounds) can quote memory text.

use std::panic::{self, PanicHookInfo};

/// Installs the panic hook.
pub(crate) fn install_hook() {
    panic::set_hook(Box::new(|info| {
        let location = info.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
        tracing::error!("defect: a panic at {location}: {}", message(info));
    }));
}

fn message(info: &PanicHookInfo<'_>) -> &'static str {
    info.payload().downcast_ref::<&'static str>().copied().unwrap_or("(formatted message withheld)")
}
