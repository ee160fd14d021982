//! Tests of connections: their maximum age, and that silent clients hold no connection.

use std::sync::atomic::{AtomicUsize, Ordering};

use kimberly_runtime::config::TlsConfig;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::*;

/// Far longer than any wait in these tests.
const BOUND: Duration = Duration::from_secs(30);

fn bounds(opening: Duration) -> Bounds {
    let long = BOUND * 10;
    Bounds {
        most: 1,
        opening,
        streams: 1,
        age: long,
        grace: long,
        keepalive: long,
        keepalive_timeout: long,
        drain: long,
    }
}

/// Reports whether the server closes a connection.
async fn is_closed(stream: &mut TcpStream) -> bool {
    let read = tokio::time::timeout(BOUND, stream.read(&mut [0; 1])).await.expect("something happens");
    matches!(read, Ok(0) | Err(_))
}

#[tokio::test]
async fn a_silent_client_loses_its_permit_to_the_next() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, stop) = (listener.local_addr().unwrap(), CancellationToken::new());
    let answer = Arc::new(AtomicUsize::new(0));
    let service = tower::service_fn({
        let answer = Arc::clone(&answer);
        move |_: http::Request<Body>| {
            answer.fetch_add(1, Ordering::Relaxed);
            std::future::ready(Ok::<_, Infallible>(http::Response::new(Body::empty())))
        }
    });
    let metrics = Metrics::detached();
    let bounds = bounds(Duration::from_millis(50));
    let serving = tokio::spawn(serve(listener, None, service, bounds, stop.clone(), metrics.clone()));
    for said in ["", "PRI * HTTP/2.0\r\n"] {
        let mut silent = TcpStream::connect(address).await.unwrap();
        silent.write_all(said.as_bytes()).await.unwrap();
        assert!(is_closed(&mut silent).await);
    }
    let request = format!("GET / HTTP/1.1\r\nhost: {address}\r\n\r\n");
    // The permit is freed shortly after the connection is closed.
    let answered = async {
        loop {
            let mut stream = TcpStream::connect(address).await.unwrap();
            let sent = stream.write_all(request.as_bytes()).await;
            if sent.is_ok() && !is_closed(&mut stream).await {
                return;
            }
        }
    };
    tokio::time::timeout(BOUND, answered).await.expect("the next is served");
    assert_eq!(answer.load(Ordering::Relaxed), 1);
    let counted = metrics.snapshot().into_iter().find(|(name, _)| name == "grpc.connections.silent");
    assert_eq!(counted.map(|(_, count)| count), Some(2.0));
    stop.cancel();
    tokio::time::timeout(BOUND, serving).await.expect("it stops").unwrap();
}

#[tokio::test]
async fn a_client_with_an_unfinished_handshake_loses_its_permit() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["server.pem", "server.key"].map(|name| folder.path().join(name));
    let key = rcgen::KeyPair::generate().unwrap();
    let certificate = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap().self_signed(&key).unwrap();
    std::fs::write(&files[0], certificate.pem()).unwrap();
    std::fs::write(&files[1], key.serialize_pem()).unwrap();
    std::fs::set_permissions(&files[1], std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let metrics = Metrics::detached();
    let [certificate, key] = files.map(Some);
    let config = TlsConfig { certificate, key, ..TlsConfig::default() };
    let tls = Tls::load(&config, &metrics).unwrap();

    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, stop) = (listener.local_addr().unwrap(), CancellationToken::new());
    let service = tower::service_fn(|_: http::Request<Body>| {
        std::future::ready(Ok::<_, Infallible>(http::Response::new(Body::empty())))
    });
    let bounds = bounds(Duration::from_millis(50));
    let serving = tokio::spawn(serve(listener, tls, service, bounds, stop.clone(), metrics.clone()));
    // A client that sends nothing, and one that sends the beginning of a handshake.
    for said in [&b""[..], &[22, 3, 1, 2, 0, 1]] {
        let mut silent = TcpStream::connect(address).await.unwrap();
        silent.write_all(said).await.unwrap();
        assert!(is_closed(&mut silent).await);
    }
    let counted = metrics.snapshot().into_iter().find(|(name, _)| name == "grpc.connections.silent");
    assert_eq!(counted.map(|(_, count)| count), Some(2.0));
    stop.cancel();
    tokio::time::timeout(BOUND, serving).await.expect("it stops").unwrap();
}

#[tokio::test]
async fn stop_does_not_wait_for_clients_that_say_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, stop) = (listener.local_addr().unwrap(), CancellationToken::new());
    let service = tower::service_fn(|_: http::Request<Body>| {
        std::future::ready(Ok::<_, Infallible>(http::Response::new(Body::empty())))
    });
    let serving = tokio::spawn(serve(listener, None, service, bounds(BOUND * 10), stop.clone(), Metrics::detached()));
    let mut silent = TcpStream::connect(address).await.unwrap();
    stop.cancel();
    assert!(is_closed(&mut silent).await);
    tokio::time::timeout(BOUND, serving).await.expect("it stops").unwrap();
}

#[test]
fn connections_opened_together_end_over_a_fifth_of_their_age() {
    let age = Duration::from_secs(1_000);
    let ages: Vec<Duration> = (0..100).map(|number| spread(age, number)).collect();
    assert!(ages.iter().all(|age| (900..=1_100).contains(&age.as_secs())));
    for tenth in 0..10 {
        let (from, to) = (900 + tenth * 20, 920 + tenth * 20);
        let within = ages.iter().filter(|age| (from..to).contains(&age.as_secs())).count();
        assert!((8..=12).contains(&within), "{within} of 100 end between {from} and {to} s");
    }
}
