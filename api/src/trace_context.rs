//! The W3C trace context of a request, which is passed on to resulting work.

use tonic::metadata::MetadataMap;

/// The header with the trace context.
pub(crate) const HEADER: &str = "traceparent";

/// Returns the trace that work resulting from this request continues: the span that this process exports, or else the
/// trace that the caller sent.
pub(crate) fn traceparent(metadata: &MetadataMap) -> Option<String> {
    kimberly_runtime::telemetry::current_traceparent()
        .or_else(|| metadata.get(HEADER)?.to_str().ok().filter(|raw| is_valid(raw)).map(str::to_owned))
}

/// Reports whether a `traceparent` is well formed: version, trace id, span id and flags in lower-case hexadecimal.
pub(crate) fn is_valid(raw: &str) -> bool {
    let parts: Vec<&str> = raw.split('-').collect();
    let [version, trace, span, flags] = parts.as_slice() else { return false };
    let hex = |part: &str, digits: usize| {
        part.len() == digits && part.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
    };
    let some = |part: &str| part.bytes().any(|b| b != b'0');
    hex(version, 2) && *version != "ff" && hex(trace, 32) && some(trace) && hex(span, 16) && some(span) && hex(flags, 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_well_formed_contexts_are_passed_on() {
        let good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        assert!(is_valid(good));
        let zero = "00-00000000000000000000000000000000-00f067aa0ba902b7-01";
        for bad in ["", "00", zero, &good.to_uppercase(), &good[1..], &format!("{good}-x"), "ff-x-y-z"] {
            assert!(!is_valid(bad), "{bad}");
        }
        let mut metadata = MetadataMap::new();
        metadata.insert(HEADER, good.parse().unwrap());
        assert_eq!(traceparent(&metadata).as_deref(), Some(good));
        metadata.insert(HEADER, "nonsense".parse().unwrap());
        assert_eq!(traceparent(&metadata), None);
    }
}
