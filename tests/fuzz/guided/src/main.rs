//! libFuzzer around one target of `kimberly-fuzz`, which `KIMBERLY_FUZZ_TARGET` names.
#![no_main]

use std::sync::OnceLock;

use kimberly_fuzz::Target;
use libfuzzer_sys::fuzz_target;

fn chosen() -> Target {
    static CHOSEN: OnceLock<Target> = OnceLock::new();
    *CHOSEN.get_or_init(|| {
        let name = std::env::var("KIMBERLY_FUZZ_TARGET").unwrap_or_default();
        kimberly_fuzz::target(&name).unwrap_or_else(|| panic!("KIMBERLY_FUZZ_TARGET is {name:?}, which is no target"))
    })
}

fuzz_target!(|input: &[u8]| (chosen().run)(input));
