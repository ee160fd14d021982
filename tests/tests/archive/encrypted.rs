//! An archive encrypted with age: its recipients open it, here or with age itself; it equals a plain one, and no
//! plaintext reaches the disk, whenever it is killed.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use age::secrecy::{ExposeSecret as _, SecretString};
use age::x25519::Identity;
use kimberly_archive::Section;
use kimberly_tests::System;
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

use super::command::{command, run};
use super::kills::{begins_with, killed, measured};
use super::user::{ROOMY, living};
use super::written::Written;

const KILLS: usize = 12;
/// Occurs in the long memories, which make up most of the archive.
const PHRASE: &[u8] = b"and on and on";

/// Writes a private file; returns its path.
fn private(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).expect("a file");
    fs::set_permissions(&path, Permissions::from_mode(0o600)).expect("its mode");
    path.display().to_string()
}

/// An identity, its file, and its recipient.
fn identity(folder: &Path, name: &str) -> (Identity, String, String) {
    let identity = Identity::generate();
    let file = private(folder, name, &format!("# {name}\n{}\n", identity.to_string().expose_secret()));
    let recipient = identity.to_public().to_string();
    (identity, file, recipient)
}

/// The content of a file as age itself decrypts it.
fn decrypted(path: &Path, identity: &impl age::Identity) -> Vec<u8> {
    let bytes = fs::read(path).expect("an encrypted archive");
    assert!(bytes.starts_with(b"age-encryption.org/v1\n"), "{}", path.display());
    age::decrypt(identity, &bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn holds(bytes: &[u8], phrase: &[u8]) -> bool {
    bytes.windows(phrase.len()).any(|found| found == phrase)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_encrypted_archive_is_a_plain_one_for_whom_it_is_for() {
    let system = System::start_with(&ROOMY).await;
    living(&system, "ana").await;
    let folder = system.folder().to_owned();
    let path = |name: &str| folder.join(name).display().to_string();
    let (mine, mine_file, mine_public) = identity(&folder, "mine.key");
    let (yours, yours_file, yours_public) = identity(&folder, "yours.key");
    let list = private(&folder, "list", &format!("# you\n{yours_public}\n"));

    run(&system, "ana", &["export", "--archive", &path("plain.tar")]);
    let plain = Written::read(&folder.join("plain.tar"));
    let args = ["export", "--archive", &path("a.age"), "--age-recipient", &mine_public, "--age-recipients-file", &list];
    let said = run(&system, "ana", &args);
    assert!(said.trim_end().ends_with("encrypted with age"), "{said}");
    assert_eq!(begins_with(&folder, "a.age"), 1, "no other file is left");
    assert_eq!(fs::metadata(folder.join("a.age")).expect("a file").permissions().mode() & 0o777, 0o600);
    assert!(!holds(&fs::read(folder.join("a.age")).expect("the archive"), PHRASE));
    for identity in [&mine, &yours] {
        let inside = decrypted(&folder.join("a.age"), identity);
        assert!(holds(&inside, PHRASE));
        plain.assert_same(&Written::parse(&inside[..], "a.age"), "as age opens it");
        fs::write(folder.join("a.tar"), inside).expect("a file");
    }
    let args = ["export", "--archive", "-", "--age-recipient", &mine_public];
    let piped = command(&system, "ana", &args).output().expect("the command runs").stdout;
    fs::write(folder.join("piped.age"), piped).expect("a file");
    let piped = decrypted(&folder.join("piped.age"), &mine);
    plain.assert_same(&Written::parse(&piped[..], "piped"), "through a pipe");

    // It imports like the plain archive, and counts as the same import as its content.
    let import = ["import", &path("a.age"), "--age-identity", &mine_file, "--age-identity", &yours_file];
    run(&system, "bob", &import);
    run(&system, "bob", &["export", "--archive", &path("bob.tar")]);
    plain.assert_same(&Written::read(&folder.join("bob.tar")), "after an import");
    for again in [&import[..], &["import", &path("a.tar")]] {
        let said = run(&system, "bob", again);
        assert!(said.starts_with("imported 0 memories and 0 attachments"), "{said}");
        assert!(said.contains("were imported before"), "{said}");
    }
    let offline = |file: &str, more: &[&str]| {
        let verify = ["--server", "http://127.0.0.1:1", "audit", "verify", "--export", file];
        run(&system, "ana", &[&verify[..], more].concat())
    };
    assert_eq!(offline(&path("a.age"), &["--age-identity", &yours_file]), offline(&path("a.tar"), &[]));

    let pass = private(&folder, "pass", "scones & jam\n");
    run(&system, "ana", &["export", "--archive", &path("p.age"), "--age-passphrase-file", &pass]);
    let inside = decrypted(&folder.join("p.age"), &age::scrypt::Identity::new(SecretString::from("scones & jam")));
    plain.assert_same(&Written::parse(&inside[..], "p.age"), "under a passphrase");
    run(&system, "eve", &["import", &path("p.age"), "--age-passphrase-file", &pass]);
    assert_eq!(system.user("eve").everything().await.len(), system.user("bob").everything().await.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_opened_or_is_damaged_is_refused_before_anything_is_imported() {
    let system = System::start().await;
    for n in 0..8 {
        system.user("ana").remember(&format!("tea {n} {}", "and on ".repeat(4_000))).await;
    }
    let folder = system.folder().to_owned();
    let path = |name: &str| folder.join(name).display().to_string();
    let (_, key, public) = identity(&folder, "mine.key");
    let (_, other, _) = identity(&folder, "other.key");
    let pass = private(&folder, "pass", "scones");
    run(&system, "ana", &["export", "--archive", &path("a.age"), "--age-recipient", &public]);
    let whole = fs::read(folder.join("a.age")).expect("the archive");
    let fails = |bytes: &[u8], opening: &[&str]| {
        let bad = path("bad.age");
        fs::write(&bad, bytes).expect("a file");
        let mut said = Vec::new();
        for what in [&["import"][..], &["audit", "verify", "--export"]] {
            let args = [what, &[bad.as_str()], opening].concat();
            let output = command(&system, "bob", &args).output().expect("the command runs");
            assert!(!output.status.success(), "{args:?} took it");
            said.push(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        said.concat()
    };
    for (opening, says) in [
        (&[] as &[&str], "--age-identity"),
        (&["--age-identity", &other], "none of the identities opens"),
        (&["--age-passphrase-file", &pass], "not under a passphrase"),
    ] {
        let said = fails(&whole, opening);
        assert_eq!(said.matches(says).count(), 2, "{opening:?}: {said}");
    }
    let mine = ["--age-identity", key.as_str()];
    let chunk = (64 << 10) + 16;
    assert!(whole.len() > 3 * chunk, "of several chunks");
    for at in [30, 60, whole.len() - 3 * chunk, whole.len() / 2, whole.len() - 1] {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        let said = fails(&bytes, &mine);
        assert!(
            ["is damaged or truncated", "damaged or truncated within", "header"].iter().any(|says| said.contains(says)),
            "{said}"
        );
        let said = fails(&whole[..at], &mine);
        assert!(said.contains("truncated"), "{at}: {said}");
    }
    assert!(fails(&[&whole[..], b"\0"].concat(), &mine).contains("damaged"));
    // A valid envelope around a truncated archive.
    let inside = decrypted(&folder.join("a.age"), &key_of(&key));
    let cut = age::encrypt(&key_of(&key).to_public(), &inside[..inside.len() - 1024]).expect("an envelope");
    assert!(fails(&cut, &mine).contains("is truncated"));
    assert!(system.user("bob").everything().await.is_empty(), "none of them imported anything");
}

fn key_of(file: &str) -> Identity {
    let text = fs::read_to_string(file).expect("a key");
    text.lines().find_map(|line| line.parse().ok()).expect("an identity")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_encrypted_export_that_is_killed_anywhere_leaves_no_plaintext_and_starts_over() {
    let mut dice = StdRng::seed_from_u64(52);
    let system = System::start_with(&ROOMY).await;
    living(&system, "ana").await;
    let folder = system.folder().to_owned();
    let path = |name: &str| folder.join(name).display().to_string();
    let (key, _, public) = identity(&folder, "mine.key");
    let export = |file: &str| ["export", "--archive", file, "--age-recipient", &public].map(str::to_owned);
    let bytes = measured(&system, "ana", &["export", "--archive", &path("plain.tar")]).await;
    let whole = Written::read(&folder.join("plain.tar"));
    let (mut left, mut n) = (0, 0);
    // A kill may come before anything is written, or, on a busy machine, after everything is.
    while n < KILLS || (left < 2 && n < 8 * KILLS) {
        let name = format!("k{n}.age");
        let args = export(&path(&name));
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        // Also over the leftovers of a plain export.
        if n % 3 == 0 {
            killed(&system, "ana", &args[..3], bytes, (n, &mut dice)).await;
        }
        killed(&system, "ana", &args, bytes, (n, &mut dice)).await;
        if let Ok(part) = fs::read(folder.join(format!("{name}.part")))
            && part.starts_with(b"age-encryption.org/v1\n")
        {
            // Chunks of 64 KiB are encrypted as a whole: an early kill leaves only the header.
            left += 1;
            assert!(!holds(&part, PHRASE) && !holds(&part, b"kimberly-archive"), "{name}");
            assert!(!folder.join(format!("{name}.part.cursor")).exists(), "{name}");
        }
        run(&system, "ana", &args);
        whole.assert_same(&Written::parse(&decrypted(&folder.join(&name), &key)[..], &name), &name);
        assert_eq!(begins_with(&folder, &name), 1, "no other file is left beside {name}");
        n += 1;
    }
    assert!(left > 1, "only {left} exports were killed in the middle");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_import_from_an_encrypted_archive_that_is_killed_anywhere_goes_on() {
    let mut dice = StdRng::seed_from_u64(53);
    let system = System::start_with(&ROOMY).await;
    living(&system, "ana").await;
    let folder = system.folder().to_owned();
    let path = |name: &str| folder.join(name).display().to_string();
    let (key, file, public) = identity(&folder, "mine.key");
    run(&system, "ana", &["export", "--archive", &path("a.age"), "--age-recipient", &public]);
    let whole = Written::parse(&decrypted(&folder.join("a.age"), &key)[..], "a.age");
    let import = ["import", &path("a.age"), "--age-identity", &file];
    let bytes = measured(&system, "k-whole", &import).await;
    let mut cut = 0;
    for n in 0..KILLS {
        let user = format!("k{n}");
        for _ in 0..dice.random_range(1..=2) {
            killed(&system, &user, &import, bytes, (n, &mut dice)).await;
        }
        let there = system.user(&user).everything().await.len();
        cut += usize::from(there > 0 && there < whole.of(Section::Memories).len() - 3);
        run(&system, &user, &import);
        let back = path(&format!("{user}.tar"));
        run(&system, &user, &["export", "--archive", &back]);
        whole.assert_same(&Written::read(Path::new(&back)), &user);
    }
    assert!(cut > 0, "no import was cut among memories");
}
