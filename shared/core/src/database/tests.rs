//! Addresses of databases: what is accepted, as in libpq, and what is refused, without showing passwords.

use super::*;

fn parsed(text: &str) -> Address {
    PostgresUrl::new(text).address().unwrap_or_else(|problem| panic!("{text} {problem}"))
}

fn names(text: &str) -> Vec<String> {
    parsed(text).each().into_iter().map(|(name, _)| name).collect()
}

#[test]
fn an_address_is_taken_apart_and_shown_without_secrets() {
    let url = PostgresUrl::new("postgresql://ada:secret@db.example.com:5433/kimberly?sslmode=verify-full&password=x");
    assert_eq!(names(url.expose()), ["db.example.com:5433"]);
    assert_eq!(parsed(url.expose()).parameter("sslmode"), Some("verify-full"));
    assert_eq!(
        format!("{url:?} {url}"),
        "postgres://db.example.com:5433/kimberly postgres://db.example.com:5433/kimberly"
    );
    assert_eq!(PostgresUrl::new("postgres:///k?host=/run/postgresql").to_string(), "postgres:///k");
    for wrong in ["postgres://ada:p@zqz:w/rd@db/k?options=x", "postgres://ada:p@zqz/rd@db/k", "mysql://ada:zqz@db/k"] {
        let url = PostgresUrl::new(wrong);
        let told = url.address().unwrap_err();
        assert!(!format!("{url} {url:?} {told}").contains("zqz"), "{url} {told}");
    }
}

#[test]
fn several_servers_are_named_in_a_url_in_parameters_and_in_pairs() {
    let three = ["a:5432", "b", "[::1]:7"];
    assert_eq!(names("postgres://ada:s@a:5432,b,[::1]:7/k?target_session_attrs=read-write"), three);
    assert_eq!(names("postgres:///k?host=a,b,::1&port=5432,,7"), three);
    assert_eq!(names("host=a,b,::1 port = 5432,,7 dbname=k user=ada password='it\\'s = it'"), three);
    assert_eq!(names("host=a,b port=6"), ["a:6", "b:6"], "one port is that of all");
    assert_eq!(names("postgres://x:1,y:2/k?host=a,b"), ["a:1", "b:2"]);
    assert_eq!(names("dbname=k"), ["a socket of this machine"]);
    let url = PostgresUrl::new("host=a,b port=6 user=ada password=secret dbname=k");
    assert_eq!(url.to_string(), "postgres://a:6,b:6/k");
    assert!(url.is_meant() && PostgresUrl::new("postgres://[").is_meant() && !PostgresUrl::new("./data").is_meant());
}

#[test]
fn each_server_has_an_address_with_all_that_leads_into_it() {
    let each = parsed("postgres://a%40b:p%2Fw@h1:1,h2:2/k?sslmode=require&options=-c%20x%3D1&options[y]=2").each();
    let behind = "&user=a%40b&password=p%2Fw&dbname=k&sslmode=require&options=%2Dc%20x%3D1&options%5By%5D=2";
    for ((_, url), (host, port)) in each.iter().zip([("h1", 1), ("h2", 2)]) {
        assert_eq!(*url, format!("postgres:///?host={host}&port={port}{behind}"));
    }
    assert_eq!(parsed("host=h password=a\\ b\\\\").each()[0].1, "postgres:///?host=h&password=a%20b%5C");
}

#[test]
fn the_server_that_is_wanted_is_one_that_writes() {
    let wanted = |attrs: &str| PostgresUrl::new(format!("postgres://a,b/k?target_session_attrs={attrs}")).address();
    assert_eq!(wanted("read-write").map(|address| address.read_write), Ok(true));
    for any in ["any", "primary"] {
        assert_eq!(wanted(any).map(|address| address.read_write), Ok(false), "{any}");
    }
    for reading in ["read-only", "standby", "prefer-standby"] {
        let told = wanted(reading).unwrap_err();
        assert!(told.contains(reading) && told.contains("read-write, primary or any"), "{told}");
    }
    assert!(wanted("writable").unwrap_err().contains("unknown target_session_attrs"));
}

#[test]
fn what_is_wrong_is_named_and_no_value_that_may_be_a_password() {
    for (wrong, told) in [
        ("postgres://a,b/k?port=1,2,3", "2 servers and 3 ports"),
        ("postgres://a:x/k", "1 to 65535"),
        ("postgres://a:0/k", "1 to 65535"),
        ("postgres://[::1/k", "a [ without its ]"),
        ("postgres://a/k?sslmode=on", "unknown sslmode; one of disable"),
        ("postgres://a/k?sslmode", "without a value"),
        ("postgres://a/k?target_sesion_attrs=any", "target_sesion_attrs"),
        ("postgres://a/k?channel_binding=require", "channel_binding"),
        ("postgres://a/k?password=x&zecret=y", "%26"),
        ("postgres://a:%zz/k", "1 to 65535"),
        ("postgres://ada:%zz@a/k", "%25"),
        ("host=a password='x", "a quote without its end"),
        ("host=a zecret", "is not an address"),
        ("", "is not an address"),
    ] {
        let said = PostgresUrl::new(wrong).address().unwrap_err();
        assert!(said.contains(told) && !said.contains("zecret"), "{wrong}: {said}");
    }
    let many = vec!["a"; 17].join(",");
    assert!(PostgresUrl::new(format!("postgres://{many}/k")).address().unwrap_err().contains("at most 16"));
    assert_eq!(names("postgres://a/k?connect_timeout=10&channel_binding=prefer"), ["a"]);
}
