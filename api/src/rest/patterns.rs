//! Regular expressions (ECMA-262) for texts that the domain accepts. They are exact for ASCII. For readability they
//! ignore other white space, which the domain trims as well.

/// ASCII white space, for use in a character class. NUL counts, since it becomes a space, but not in names of users.
const WHITE: &str = r"\u0000\t\n\v\f\r ";
/// Control characters without NUL, for use in a character class.
const CONTROL: &str = r"\u0001-\u001f\u007f-\u009f";
/// All control characters, for use in a character class.
const CONTROL_OR_NUL: &str = r"\u0000-\u001f\u007f-\u009f";

/// A non-empty text without control characters, and without white space at either end.
pub(super) fn user_id() -> String {
    format!("^{}$", user())
}

/// A user's id, or an empty text.
pub(super) fn user_id_or_nothing() -> String {
    format!("^({})?$", user())
}

/// A user's id without `*`, or a prefix of ids followed by one `*`.
pub(super) fn user_pattern() -> String {
    let other = format!("[^{CONTROL_OR_NUL}{WHITE}*]");
    format!(r"^({other}([^{CONTROL_OR_NUL}*]*{other})?|{other}[^{CONTROL_OR_NUL}*]*\*|\*)$")
}

/// A URI or a DNS name as in a certificate, or an empty text.
pub(super) fn certificate_or_nothing() -> String {
    let label = "[A-Za-z0-9_-]{1,63}";
    format!(r"^([A-Za-z][A-Za-z0-9+.-]*:[!-~]+|{label}(\.{label})*)?$")
}

/// A text that is trimmed first. Then it is not empty and has no control characters.
pub(super) fn label() -> String {
    format!("^[{WHITE}]*{}[{WHITE}]*$", trimmed())
}

/// Like [`label`], or an empty text. White space alone does not count as empty.
pub(super) fn label_or_nothing() -> String {
    format!("^([{WHITE}]*{}[{WHITE}]*)?$", trimmed())
}

/// A text that is trimmed first. Then it has no control characters.
pub(super) fn name() -> String {
    format!("^[{WHITE}]*({}[{WHITE}]*)?$", trimmed())
}

/// A text without control characters.
pub(super) fn printable() -> String {
    format!("^[^{CONTROL}]*$")
}

/// A text with something other than white space. NUL counts as white space.
pub(super) fn content() -> String {
    format!(r"^[\s\S]*[^{WHITE}][\s\S]*$")
}

/// A path without empty, `.` and `..` segments.
pub(super) fn path() -> String {
    let any = format!("[^{CONTROL}/]");
    let segment = format!(r"({any}{{3,}}|[^{CONTROL}/.]{any}?|{any}[^{CONTROL}/.])");
    format!("^{segment}(/{segment})*$")
}

/// Like [`path`], or an empty text.
pub(super) fn path_or_nothing() -> String {
    let path = path();
    format!("^({})?$", path.trim_start_matches('^').trim_end_matches('$'))
}

/// An id: a prefix and a UUID in lower case.
pub(super) fn id(prefix: &str) -> String {
    format!("^{prefix}[0-9a-f]{{8}}-[0-9a-f]{{4}}-[0-9a-f]{{4}}-[0-9a-f]{{4}}-[0-9a-f]{{12}}$")
}

/// Like [`id`], or an empty text.
pub(super) fn id_or_nothing(prefix: &str) -> String {
    let id = id(prefix);
    format!("^({})?$", id.trim_start_matches('^').trim_end_matches('$'))
}

/// An id with one of several prefixes.
pub(super) fn any_id(prefixes: &[&str]) -> String {
    id(&format!("({})", prefixes.join("|")))
}

/// The id of a review: its kind and one or two UUIDs.
pub(super) fn review_id() -> String {
    let uuid = id("").trim_start_matches('^').trim_end_matches('$').to_owned();
    format!(
        "^((stale|uncertain|clutter)_{uuid}|(contradiction|duplicate|merge)_{uuid}_{uuid}|promotion_{uuid}(_{uuid})?)$"
    )
}

/// A token that a list returned for its next page.
pub(super) fn token() -> String {
    "^[A-Za-z0-9_-]*$".to_owned()
}

/// One or more of these paths, in either spelling, separated by commas.
pub(super) fn mask<'a>(paths: impl Iterator<Item = &'a str>) -> String {
    let both = |path: &'a str| {
        let camel = camel_case(path);
        let snake = (camel != path).then(|| path.to_owned());
        [Some(camel), snake].into_iter().flatten().map(|path| path.replace('.', r"\."))
    };
    let paths = paths.flat_map(both).collect::<Vec<_>>().join("|");
    format!("^({paths})(,({paths}))*$")
}

fn user() -> String {
    format!("[^{CONTROL_OR_NUL}{WHITE}]([^{CONTROL_OR_NUL}]*[^{CONTROL_OR_NUL}{WHITE}])?")
}

fn trimmed() -> String {
    format!("[^{CONTROL}{WHITE}]([^{CONTROL}]*[^{CONTROL}{WHITE}])?")
}

fn camel_case(path: &str) -> String {
    let mut words = path.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |text, word| {
        let (head, tail) = word.split_at_checked(1).unwrap_or_default();
        text + &head.to_ascii_uppercase() + tail
    })
}
