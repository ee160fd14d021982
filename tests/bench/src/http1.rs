//! A minimal HTTP/1.1 client over one keep-alive connection, so that the server is measured, not the client.

use std::net::SocketAddr;

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

use crate::Result;

/// A keep-alive connection.
pub(crate) struct Http1 {
    stream: BufReader<TcpStream>,
    host: String,
}

impl Http1 {
    /// Connects.
    pub(crate) async fn connect(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream: BufReader::new(stream), host: address.to_string() })
    }

    /// Sends a request and reads its response; a status other than success is an error with the body.
    pub(crate) async fn call(&mut self, method: &str, path: &str, body: &str) -> Result<Vec<u8>> {
        let (host, length) = (&self.host, body.len());
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        self.stream.write_all(request.as_bytes()).await?;
        let status = self.line().await?;
        let (mut length, mut chunked) = (0, false);
        loop {
            let header = self.line().await?.to_ascii_lowercase();
            match header.split_once(':').map(|(name, value)| (name, value.trim())) {
                None => break,
                Some(("content-length", value)) => length = value.parse()?,
                Some(("transfer-encoding", value)) => chunked = value == "chunked",
                Some(_) => {}
            }
        }
        let answer = if chunked { self.chunks().await? } else { self.exactly(length).await? };
        if status.starts_with("HTTP/1.1 2") {
            return Ok(answer);
        }
        Err(format!("{method} {path}: {status}: {}", String::from_utf8_lossy(&answer)).into())
    }

    async fn chunks(&mut self) -> Result<Vec<u8>> {
        let mut answer = Vec::new();
        loop {
            let size = usize::from_str_radix(self.line().await?.trim(), 16)?;
            answer.extend(self.exactly(size).await?);
            self.line().await?;
            if size == 0 {
                return Ok(answer);
            }
        }
    }

    async fn exactly(&mut self, length: usize) -> Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        self.stream.read_exact(&mut bytes).await?;
        Ok(bytes)
    }

    /// A line without its line end.
    async fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        if self.stream.read_line(&mut line).await? == 0 {
            return Err("the server closed the connection".into());
        }
        line.truncate(line.trim_end().len());
        Ok(line)
    }
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn answers_of_known_length_and_in_chunks_are_read_over_one_connection() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            for answer in [
                "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none",
                "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\ntw\r\n1\r\no\r\n0\r\n\r\n",
                "HTTP/1.1 404 Not Found\r\ncontent-length: 4\r\n\r\ngone",
            ] {
                let _ = stream.read(&mut [0; 1_024]).await.unwrap();
                stream.write_all(answer.as_bytes()).await.unwrap();
            }
        });
        let mut client = Http1::connect(address).await.unwrap();
        assert_eq!(client.call("GET", "/", "").await.unwrap(), b"one");
        assert_eq!(client.call("GET", "/", "").await.unwrap(), b"two");
        assert!(client.call("GET", "/", "").await.unwrap_err().to_string().contains("gone"));
    }
}
