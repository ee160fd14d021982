//! How a process ends whose databases were open.

use std::io::Write as _;

/// Ends the process with this code, without what C libraries have registered to be run at its end. SQLCipher and OpenSSL free there
/// what the threads of closed connections, for whom nobody can wait, may be freeing just then: the process would crash now and then,
/// with all its work done.
pub fn leave(code: u8) -> ! {
    let _ = std::io::stdout().flush();
    signal_hook::low_level::exit(code.into())
}
