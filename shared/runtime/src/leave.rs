//! How a process with databases exits.

use std::io::Write as _;

/// Exits with this code without running C exit handlers. Those of SQLCipher and OpenSSL free memory. Threads of closed
/// connections, which cannot be joined, may be freeing it at the same time: the process would occasionally crash after
/// all its work was done.
pub fn leave(code: u8) -> ! {
    let _ = std::io::stdout().flush();
    signal_hook::low_level::exit(code.into())
}
