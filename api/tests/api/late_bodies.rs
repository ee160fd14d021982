//! Bodies that arrive after their calls were refused, from a client that sends HTTP/2 frames by hand.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail their test")]

use std::collections::HashSet;
use std::time::Duration;

use crate::common::Served;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RESET: u8 = 3;
const SETTINGS: u8 = 4;
const GOAWAY: u8 = 7;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
const ACK: u8 = 1;
/// Concurrent calls, fewer than a connection may have.
const AT_ONCE: u32 = 100;
/// Far longer than any wait in these tests.
const BOUND: Duration = Duration::from_mins(1);

/// A connection.
struct Raw(TcpStream);

impl Raw {
    async fn open(served: &Served) -> Self {
        let mut raw = Self(TcpStream::connect(served.address).await.unwrap());
        raw.0.write_all(PREFACE).await.unwrap();
        raw.send(SETTINGS, 0, 0, &[]).await;
        raw
    }

    async fn send(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
        let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
        let mut frame = vec![length[1], length[2], length[3], kind, flags];
        frame.extend(stream.to_be_bytes());
        frame.extend(payload);
        self.0.write_all(&frame).await.unwrap();
    }

    /// Returns kind, flags and stream of the next frame.
    async fn next(&mut self) -> (u8, u8, u32) {
        let mut head = [0; 9];
        self.0.read_exact(&mut head).await.unwrap();
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut payload = vec![0; length as usize];
        self.0.read_exact(&mut payload).await.unwrap();
        let stream = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
        if (head[3], head[4]) == (SETTINGS, 0) {
            self.send(SETTINGS, ACK, 0, &[]).await;
        }
        (head[3], head[4], stream)
    }

    /// Sends the headers of a call that is refused at once, since there is no such rpc.
    async fn begin(&mut self, stream: u32) {
        let path = "/kimberly.v1.MemoryService/NoSuchRpc";
        let headers = [
            (":method", "POST"),
            (":scheme", "http"),
            (":authority", "localhost"),
            (":path", path),
            ("te", "trailers"),
            ("content-type", "application/grpc"),
        ];
        let mut block = Vec::new();
        for (name, value) in headers {
            // A literal that is not indexed, with lengths below 127.
            block.push(0);
            for text in [name, value] {
                block.push(u8::try_from(text.len()).unwrap());
                block.extend(text.as_bytes());
            }
        }
        self.send(HEADERS, END_HEADERS, stream, &block).await;
    }

    /// Waits until all these streams are answered.
    async fn answered(&mut self, mut streams: HashSet<u32>) {
        while !streams.is_empty() {
            let (kind, flags, stream) = self.next().await;
            assert!(kind != GOAWAY, "the connection ends");
            assert!(kind != RESET, "stream {stream} was reset before its body came");
            if kind == HEADERS && flags & END_STREAM != 0 {
                streams.remove(&stream);
            }
        }
    }
}

#[tokio::test]
async fn bodies_that_come_after_the_refusal_end_neither_their_streams_nor_the_connection() {
    let served = Served::start().await;
    let mut raw = Raw::open(&served).await;
    let calls = async {
        // More than the errors that h2 tolerates on a connection.
        for round in 0..12 {
            let streams: Vec<u32> = (0..AT_ONCE).map(|n| (round * AT_ONCE + n) * 2 + 1).collect();
            for &stream in &streams {
                raw.begin(stream).await;
            }
            raw.answered(streams.iter().copied().collect()).await;
            for &stream in &streams {
                raw.send(DATA, END_STREAM, stream, &[0; 5]).await;
            }
        }
    };
    tokio::time::timeout(BOUND, calls).await.expect("all are answered");
}
