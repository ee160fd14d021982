//! Reads a client's first bytes: the preface of HTTP/2, or the beginning of an HTTP/1.1 request.
//!
//! hyper-util waits for them without a bound, and hyper's own timers start only afterwards. A client that sends
//! nothing, or a part of the preface, would occupy its connection for the maximum age of connections.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, ReadBuf};

/// The bytes with which every HTTP/2 connection begins.
const PREFACE: [u8; 24] = *b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Waits until it is known which version a client speaks. Returns the same stream, rewound to its beginning, or `None`
/// if it ends before that.
pub(super) async fn opened<S: AsyncRead + Unpin>(mut stream: S) -> io::Result<Option<Rewound<S>>> {
    let (mut first, mut length) = ([0; PREFACE.len()], 0);
    while length < PREFACE.len() && PREFACE.starts_with(&first[..length]) {
        match stream.read(&mut first[length..]).await? {
            0 => return Ok(None),
            read => length += read,
        }
    }
    Ok(Some(Rewound { first, read: 0, length, stream }))
}

/// A stream whose first bytes were read already, and are read again.
pub(super) struct Rewound<S> {
    first: [u8; PREFACE.len()],
    /// How many of the first bytes were read again, and how many there are.
    read: usize,
    length: usize,
    stream: S,
}

impl<S: AsyncRead + Unpin> AsyncRead for Rewound<S> {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let left = this.first.get(this.read..this.length).unwrap_or_default();
        if left.is_empty() {
            return Pin::new(&mut this.stream).poll_read(context, into);
        }
        let taken = left.len().min(into.remaining());
        into.put_slice(&left[..taken]);
        this.read += taken;
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Rewound<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, from: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(context, from)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        from: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write_vectored(context, from)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::AsyncWriteExt as _;
    use tokio::net::{TcpListener, TcpStream};

    use super::*;

    async fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        (client, listener.accept().await.unwrap().0)
    }

    #[tokio::test]
    async fn what_was_said_first_is_read_from_its_beginning_however_it_arrived() {
        let long = [&PREFACE[..], b"and more"].concat();
        for said in [&long[..], b"GET / HTTP/1.1\r\n\r\n", b"PRI * HTTP/1.1\r\n", b"x"] {
            let (mut client, server) = pair().await;
            client.set_nodelay(true).unwrap();
            let speaking = async {
                for byte in said {
                    client.write_all(&[*byte]).await.unwrap();
                    tokio::task::yield_now().await;
                }
                client.shutdown().await.unwrap();
            };
            let reading = async {
                let mut whole = Vec::new();
                opened(server).await.unwrap().unwrap().read_to_end(&mut whole).await.unwrap();
                whole
            };
            let ((), heard) = tokio::join!(speaking, reading);
            assert_eq!(heard, said);
        }
    }

    #[tokio::test]
    async fn nothing_or_a_part_of_the_preface_opens_nothing() {
        for said in [0, 1, PREFACE.len() - 1] {
            let (mut client, server) = pair().await;
            client.write_all(&PREFACE[..said]).await.unwrap();
            let mut opening = Box::pin(opened(server));
            assert!(tokio::time::timeout(Duration::from_millis(20), &mut opening).await.is_err(), "{said} bytes");
            drop(client);
            assert!(opening.await.unwrap().is_none(), "{said} bytes");
        }
    }
}
