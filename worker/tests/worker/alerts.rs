//! Alerts are reported once when raised and once when cleared, also to a webhook.

use kimberly_core::alerts::{Alert, CLEARED, FAILED, RAISED, Watch};
use kimberly_core::audit::{Actor, AuditEntry};
use kimberly_core::ports::{AuditQuery, Clock as _};
use kimberly_core::time::Span;
use kimberly_core::usecases::list_alerts;
use kimberly_runtime::Metrics;
use kimberly_worker::alerts::{Alerts, Webhook};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::fixture::{Fixture, user};

fn alerts(fixture: &Fixture, quota_share: f64, webhook: Option<Webhook>) -> Alerts {
    Alerts {
        app: fixture.app(),
        registry: fixture.registry(),
        audit: fixture.store.audit(),
        queue: fixture.queue.clone(),
        metrics: Metrics::detached(),
        quota_share,
        webhook,
    }
}

/// Returns the reported alerts: action, alert, count.
async fn reports(fixture: &Fixture) -> Vec<(String, String, u64)> {
    let query = AuditQuery { limit: 100, ..AuditQuery::default() };
    let read = fixture.store.audit();
    let entries = read.read(move |reader| {
        let query = query.clone();
        Box::pin(async move { reader.audit_entries(&query).await })
    });
    let entries = entries.await.unwrap();
    let reports = entries.into_iter().filter(|entry| entry.action.starts_with("alert."));
    reports.map(|entry| (entry.action, entry.subject.unwrap(), entry.count)).collect()
}

#[tokio::test]
async fn an_alert_is_reported_once_when_raised_and_once_when_cleared() {
    let fixture = Fixture::new().await;
    fixture.remember(&user("anna"), 2).await;
    fixture.remember(&user("ben"), 1).await;
    let low = alerts(&fixture, 1e-6, None);
    for mut watch in [Watch::default(), Watch::default()] {
        low.look(&mut watch).await.unwrap();
    }
    let raised = (RAISED.to_owned(), "quota_over_threshold".to_owned(), 2);
    assert_eq!(reports(&fixture).await, std::slice::from_ref(&raised), "once, by two workers");
    let holds = list_alerts(&*fixture.store.audit(), false).await.unwrap();
    assert_eq!((holds.len(), holds[0].alert, holds[0].count), (1, Alert::QuotaOverThreshold, 2));
    let shown = low.metrics.snapshot();
    assert!(shown.contains(&("alerts.quota_over_threshold".to_owned(), 2.0)), "{shown:?}");
    alerts(&fixture, 1.1, None).look(&mut Watch::default()).await.unwrap();
    assert_eq!(reports(&fixture).await, [raised, (CLEARED.to_owned(), "quota_over_threshold".to_owned(), 0)]);
}

#[tokio::test]
async fn failed_calls_of_an_api_are_reported_to_the_webhook_while_they_are_recent() {
    let fixture = Fixture::new().await;
    let at = fixture.clock.now();
    let entry = AuditEntry { at, actor: Actor::System, action: FAILED, refused: None, subject: None, count: 12 };
    fixture.store.audit().append(vec![entry]).await.unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let webhook = Webhook { address: listener.local_addr().unwrap(), path: "/told".to_owned() };
    let heard = tokio::spawn(async move {
        let mut all = Vec::new();
        for _ in 0..2 {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = vec![0; 4_096];
            let read = stream.read(&mut request).await.unwrap();
            stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await.unwrap();
            all.push(String::from_utf8_lossy(&request[..read]).into_owned());
        }
        all
    });
    let alerts = alerts(&fixture, 1.1, Some(webhook));
    alerts.look(&mut Watch::default()).await.unwrap();
    fixture.clock.advance(Span::hours(1));
    alerts.look(&mut Watch::default()).await.unwrap();
    let heard = heard.await.unwrap();
    assert!(
        heard[0].starts_with("POST /told HTTP/1.1\r\n") && heard[0].contains(r#""alert":"service_errors""#),
        "{heard:?}"
    );
    assert!(heard[0].contains(r#""state":"raised""#) && heard[0].contains("12 calls"), "{heard:?}");
    assert!(heard[1].contains(r#""state":"cleared""#), "{heard:?}");
}
