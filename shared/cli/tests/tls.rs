//! Tests `kimberly` over TLS: a server that other machines may reach, and whom the client trusts.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a helper of tests fails the test that calls it")]

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use common::{Sandbox, Up, said};
use rcgen::{CertificateParams, KeyPair};

/// The files of a self-signed certificate for this machine.
fn certificate(sandbox: &Sandbox) -> (String, String) {
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec!["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
    let files = ["server.pem", "server.key"].map(|name| sandbox.folder.path().join(name));
    fs::write(&files[0], params.self_signed(&key).unwrap().pem()).unwrap();
    fs::write(&files[1], key.serialize_pem()).unwrap();
    fs::set_permissions(&files[1], fs::Permissions::from_mode(0o600)).unwrap();
    let [certificate, key] = files.map(|file| file.display().to_string());
    (certificate, key)
}

/// `kimberly up` listening on every interface, with these settings.
fn everywhere(sandbox: &Sandbox, settings: &[(&str, &str)]) -> Command {
    let mut command = sandbox.command(&["up"]);
    command.env("KIMBERLY_API__LISTEN", format!("0.0.0.0:{}", sandbox.ports[0])).envs(settings.iter().copied());
    command
}

#[test]
fn other_machines_are_refused_until_there_are_credentials_and_tls() {
    let sandbox = Sandbox::new();
    let (certificate, key) = certificate(&sandbox);
    let auth = ("KIMBERLY_AUTH__MODE", "required");
    let tls = [("KIMBERLY_TLS__CERTIFICATE", certificate.as_str()), ("KIMBERLY_TLS__KEY", key.as_str())];
    for (settings, parts) in
        [(&[][..], &["auth.mode", "tls.certificate"][..]), (&[auth], &["tls.certificate"]), (&tls, &["keys create"])]
    {
        let refused = everywhere(&sandbox, settings).output().unwrap();
        assert_eq!(refused.status.code(), Some(2), "{}", said(&refused));
        for part in parts.iter().chain(&["other machines can reach", "127.0.0.1:"]) {
            assert!(said(&refused).contains(part), "{part}: {}", said(&refused));
        }
    }

    let settings = [auth, tls[0], tls[1]];
    let mut up = Up::start(everywhere(&sandbox, &settings));
    assert!(up.until("Kimberly is ready").contains("https://"));
    let server = format!("https://localhost:{}", sandbox.ports[0]);
    let client = |args: &[&str], ca: &str| {
        let mut command = sandbox.command(args);
        command.env("KIMBERLY_SERVER", &server).env("KIMBERLY_CA", ca);
        command.env("KIMBERLY_API__LISTEN", format!("0.0.0.0:{}", sandbox.ports[0])).envs(settings);
        command.output().unwrap()
    };
    let stored = client(&["remember", "I drink tea"], &certificate);
    assert!(stored.status.success(), "{}", said(&stored));
    let doctor = client(&["doctor"], &certificate);
    assert!(doctor.status.success(), "{}{}", String::from_utf8_lossy(&doctor.stdout), said(&doctor));

    let mut unbelieving = sandbox.command(&["list"]);
    let refused = unbelieving.env("KIMBERLY_SERVER", &server).output().unwrap();
    assert_eq!(refused.status.code(), Some(3), "{}", said(&refused));
    assert!(said(&refused).contains("UnknownIssuer") && said(&refused).contains("--ca"), "{}", said(&refused));
    let plain = sandbox.run(&["list"]);
    assert!(!plain.status.success(), "in the clear nothing is served");
    up.signal("INT");
    assert_eq!(up.ended(), Some(0), "{}", up.seen.join("\n"));
}
