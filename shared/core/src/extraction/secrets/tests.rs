//! Tests of secrets. No key here is real.

use super::{MASK, mask, secrets};

fn found(text: &str) -> Vec<&str> {
    secrets(text).into_iter().map(|range| &text[range]).collect()
}

#[test]
fn secrets_are_found_by_form_name_and_check_digit() {
    let key = format!("ghp_{}", "a1B2".repeat(9));
    let aws = ["AKIA", "IOSFODNN7EXAMPLE"].concat();
    for (text, secret) in [
        (format!("use {key}, please"), key.as_str()),
        (format!("AWS_ACCESS_KEY_ID={aws}"), aws.as_str()),
        ("my password is hunter2.".to_owned(), "hunter2"),
        ("Mein Passwort lautet Sonne99!".to_owned(), "Sonne99!"),
        ("password: swordfish".to_owned(), "swordfish"),
        ("export API_KEY=\"k-12345678\"".to_owned(), "k-12345678"),
        ("The PIN is 4711".to_owned(), "4711"),
        ("account number: 12345678".to_owned(), "12345678"),
        ("pay with 4111 1111 1111 1111 now".to_owned(), "4111 1111 1111 1111"),
        ("to DE89 3704 0044 0532 0130 00, thanks".to_owned(), "DE89 3704 0044 0532 0130 00"),
        ("postgres://ana:s3cret@db/x".to_owned(), "s3cret"),
    ] {
        assert_eq!(found(&text), [secret], "{text}");
    }
}

#[test]
fn what_only_looks_like_a_secret_is_left() {
    for text in [
        "my password is wrong",
        "The token is expired.",
        "call 4111 1111 1111 1112",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "api_key = YOUR_API_KEY",
        "password = request.form['password']",
        "I keep my keys on the shelf",
        "DE88 3704 0044 0532 0130 07",
        "https://example.org/a:b@c",
        "I forgot my password.",
    ] {
        assert_eq!(found(text), Vec::<&str>::new(), "{text}");
    }
}

#[test]
fn masked_text_holds_no_secret_and_is_masked_once() {
    let text = "Ich: Passwort = Geheim#77 é 4111-1111-1111-1111";
    let masked = mask(text).into_owned();
    assert_eq!(masked, format!("Ich: Passwort = {MASK} é {MASK}"));
    assert_eq!(mask(&masked), masked);
    assert!(matches!(mask("nothing here"), std::borrow::Cow::Borrowed(_)));
}
