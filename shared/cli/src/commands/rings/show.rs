//! `kimberly rings`

use kimberly_proto::v1;

use crate::context::Context;
use crate::error::CliResult;
use crate::json;

pub(super) async fn run(context: &Context) -> CliResult {
    let request = v1::GetKeyRingsRequest {};
    let found = context.connect().await?.maintenance().get_key_rings(request).await?.into_inner();
    context.out.answer(|| json::of(&found), || said(&found))
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
                v1::RingKey { missing: true, .. } => "MISSING: restore it before the last key (the one in use)",
                v1::RingKey { current: true, .. } => "wraps",
                v1::RingKey { files: 0, .. } => "nothing needs it; backups of data/keys may",
                _ => "still needed",
            };
            lines.push(format!("  {}  {} key files, {what}", key.id, key.files));
        }
        if ring.left > 0 {
            lines.push(format!("  {} of {} key files are still to be rewrapped", ring.left, found.files));
        }
    }
    if found.unreadable > 0 {
        lines.push(format!("{} key files cannot be read:", found.unreadable));
        lines.extend(found.problems.iter().cloned());
    }
    lines.join("\n")
}
