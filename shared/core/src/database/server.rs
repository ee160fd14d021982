//! The endpoint of a server of a database.

/// The endpoint of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Server {
    /// Host name or address, or the folder of a socket; empty for libpq's default.
    pub host: String,
    /// The port, if given.
    pub port: Option<u16>,
}

impl Server {
    /// Reports whether it is a local socket.
    pub fn is_socket(&self) -> bool {
        self.host.is_empty() || self.host.starts_with(['/', '@'])
    }

    /// The server as shown in an address; empty for a socket.
    pub(super) fn shown(&self) -> String {
        if self.is_socket() { String::new() } else { self.to_string() }
    }
}

impl std::fmt::Display for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.host.as_str() {
            "" => f.write_str("a socket of this machine")?,
            six if six.contains(':') => write!(f, "[{six}]")?,
            host => f.write_str(host)?,
        }
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}
