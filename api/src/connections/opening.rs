//! What a client says first: the preface of HTTP/2, or the beginning of a request of HTTP/1.1.
//!
//! hyper-util waits for it without a bound, and hyper's own timers begin only after it: a client that says nothing, or
//! a part of the preface, would keep its place for as long as connections may live.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, ReadBuf};

/// With this every connection of HTTP/2 begins.
const PREFACE: [u8; 24] = *b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Waits until it is known which version a client speaks: the same stream, to be read from its beginning; `None` if it
/// ends before.
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

/// A stream whose beginning was read already, and is read again.
pub(super) struct Rewound<S> {
    first: [u8; PREFACE.len()],
    /// How much of the beginning was read again, and how long it is.
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
