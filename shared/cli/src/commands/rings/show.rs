//! `kimberly rings`

use kimberly_proto::v1;
use serde_json::{Value, json};

use crate::context::Context;
use crate::error::CliResult;

pub(super) async fn run(context: &Context) -> CliResult {
    let request = v1::GetKeyRingsRequest {};
    let found = context.connect().await?.maintenance().get_key_rings(request).await?.into_inner();
    context.out.answer(|| to_json(&found), || said(&found))
}

fn to_json(found: &v1::GetKeyRingsResponse) -> Value {
    let key =
        |key: &v1::RingKey| json!({"id": key.id, "current": key.current, "files": key.files, "missing": key.missing});
    let ring = |ring: &v1::KeyRing| {
        let keys: Vec<Value> = ring.keys.iter().map(key).collect();
        json!({"name": ring.name, "place": ring.place, "keys": keys, "left": ring.left})
    };
    json!({
        "rings": found.rings.iter().map(ring).collect::<Vec<_>>(),
        "files": found.files,
        "unreadable": found.unreadable,
        "problems": found.problems,
    })
}

fn said(found: &v1::GetKeyRingsResponse) -> String {
    if found.rings.is_empty() {
        return "encryption is off: there are no rings".to_owned();
    }
    let mut lines = Vec::new();
    for ring in &found.rings {
        lines.push(format!("{:<10} {}", ring.name, ring.place));
        for key in &ring.keys {
            let what = match key {
                v1::RingKey { missing: true, .. } => "MISSING: put it back, before the last key",
                v1::RingKey { current: true, .. } => "wraps",
                v1::RingKey { files: 0, .. } => "nothing needs it; backups of data/keys may",
                _ => "still needed",
            };
            lines.push(format!("  {}  {} key files, {what}", key.id, key.files));
        }
        if ring.left > 0 {
            lines.push(format!("  {} of {} key files are still to be wrapped anew", ring.left, found.files));
        }
    }
    if found.unreadable > 0 {
        lines.push(format!("{} key files cannot be read:", found.unreadable));
        lines.extend(found.problems.iter().cloned());
    }
    lines.join("\n")
}
