//! Panics are defects: they are logged with their place. Their message is logged only when it is a literal of the
//! program, because a formatted one (such as that of a slice out of bounds) can quote memory text.

use std::panic::{self, PanicHookInfo};

/// Logs panics from now on.
pub(crate) fn install_hook() {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
        tracing::error!("defect: a panic at {place}: {}", message(info));
    }));
}

fn message(info: &PanicHookInfo<'_>) -> &'static str {
    info.payload().downcast_ref::<&'static str>().copied().unwrap_or("(formatted message withheld)")
}
