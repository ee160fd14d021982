//! Tests of keys that need no storage: what is refused before anything is stored.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;

use super::*;
use crate::UserId;
use crate::access::{
    Caller, CallerKind, CertificateName, Credential, CredentialId, CredentialKind, Grant, Operation, Operations, Rows,
    UserPatterns,
};
use crate::memory::Tier;
use crate::ports::{Added, By, Clock, Credentials, NoObserver, ReadWork, TransactWork, Vaults};
use crate::settings::ServerDefaults;
use crate::time::{Span, Timestamp};
use crate::usecases::App;

/// Credentials in memory.
#[derive(Default)]
struct InMemoryCredentials(Mutex<Vec<Credential>>);

impl InMemoryCredentials {
    fn change<T>(&self, name: &CredentialName, change: impl FnOnce(&mut Credential) -> T) -> Option<T> {
        self.0.lock().unwrap().iter_mut().find(|one| one.name == *name).map(change)
    }
}

#[async_trait]
impl Credentials for InMemoryCredentials {
    async fn add(&self, credential: &Credential, most: usize, _: &By) -> Result<Added> {
        let mut stored = self.0.lock().unwrap();
        if stored.iter().any(|one| one.name == credential.name) {
            return Ok(Added::Taken);
        }
        if stored.iter().filter(|one| one.revoked_at.is_none()).count() >= most {
            return Ok(Added::Full);
        }
        stored.push(credential.clone());
        Ok(Added::Done)
    }
    async fn put_local_admin(&self, _: &Credential, _: &By) -> Result<()> {
        unreachable!("not by these use cases")
    }
    async fn by_id(&self, _: CredentialId) -> Result<Option<Credential>> {
        unreachable!("not by these use cases")
    }
    async fn by_certificate(&self, _: &CertificateName) -> Result<Option<Credential>> {
        unreachable!("not by these use cases")
    }
    async fn by_name(&self, name: &CredentialName) -> Result<Option<ListedCredential>> {
        Ok(self.change(name, |one| ListedCredential { credential: one.clone(), last_used_at: None }))
    }
    async fn list(&self, after: Option<&CredentialName>, limit: usize) -> Result<Vec<ListedCredential>> {
        let mut all: Vec<_> = self.0.lock().unwrap().clone();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        let listed = |credential| ListedCredential { credential, last_used_at: None };
        Ok(all.into_iter().filter(|one| after.is_none_or(|after| one.name > *after)).take(limit).map(listed).collect())
    }
    async fn revoke(&self, name: &CredentialName, by: &By) -> Result<()> {
        self.change(name, |one| one.revoked_at = one.revoked_at.or(Some(by.at)));
        Ok(())
    }
    async fn replace_secret(
        &self,
        name: &CredentialName,
        was: &[u8; 32],
        hash: &[u8; 32],
        until: Timestamp,
        _: &By,
    ) -> Result<bool> {
        let replaced = self.change(name, |one| {
            (one.secret_hash == *was).then(|| {
                one.replaced = Some((*was, until));
                one.secret_hash = *hash;
            })
        });
        Ok(replaced.flatten().is_some())
    }
    async fn used(&self, _: &[(CredentialId, Timestamp)]) -> Result<()> {
        unreachable!("not by these use cases")
    }
}

struct Nothing;

#[async_trait]
impl Vaults for Nothing {
    async fn read_with(&self, _: &UserId, _: ReadWork) -> Result<()> {
        unreachable!("keys lie in no vault")
    }
    async fn transact_with(&self, _: &UserId, _: &'static str, _: TransactWork) -> Result<()> {
        unreachable!("keys lie in no vault")
    }
    async fn transact_existing_with(&self, _: &UserId, _: &'static str, _: TransactWork) -> Result<bool> {
        unreachable!("keys lie in no vault")
    }
    async fn empty_log(&self, _: &UserId) -> Result<bool> {
        unreachable!("keys lie in no vault")
    }
    fn open_vaults(&self) -> usize {
        0
    }
    async fn close(&self) {}
}

impl Clock for Nothing {
    fn now(&self) -> Timestamp {
        Timestamp(1_000)
    }
}

impl crate::ports::Ids for Nothing {
    fn new_id(&self, _: Timestamp) -> uuid::Uuid {
        uuid::Uuid::nil()
    }
}

fn app(caller: Caller) -> App {
    let defaults = Arc::new(ServerDefaults::default());
    App::new(Arc::new(Nothing), Arc::new(Nothing), Arc::new(Nothing), defaults, Arc::new(NoObserver))
        .with_caller(Arc::new(caller))
}

fn admin(operations: &[Operation], expires_at: Option<Timestamp>) -> Caller {
    let grant =
        Grant { users: UserPatterns::all(), operations: operations.iter().copied().collect(), rows: Rows::default() };
    let kind = CallerKind::Key(CredentialId::from_random([9; 8]));
    Caller { name: "boss".into(), kind, agent: false, grant: Arc::new(grant), expires_at }
}

fn input(name: &str) -> CreateKeyInput {
    CreateKeyInput {
        name: CredentialName::parse(name).unwrap(),
        users: UserPatterns::parse("grant.users", &["ada"]).unwrap(),
        operations: [Operation::Read].into_iter().collect::<Operations>(),
        rows: Rows::default(),
        agent: true,
        expires_at: None,
        certificate: None,
        random_id: [1; 8],
        random_secret: [2; 32].into(),
    }
}

/// Returns the outcome of work that never waits.
fn now<T>(work: impl Future<Output = T>) -> T {
    let mut work = std::pin::pin!(work);
    match work.as_mut().poll(&mut std::task::Context::from_waker(std::task::Waker::noop())) {
        std::task::Poll::Ready(done) => done,
        std::task::Poll::Pending => panic!("it waits"),
    }
}

#[test]
fn a_key_is_stored_as_its_hash_and_shown_once() {
    let (credentials, app) = (InMemoryCredentials::default(), app(Caller::open()));
    let made = now(app.create_key(&credentials, input("shop"))).unwrap();
    let (stored, key) = (credentials.0.lock().unwrap()[0].clone(), made.key.clone().unwrap());
    assert_eq!((stored.id, stored.secret_hash), (key.id(), key.secret_hash()));
    assert_eq!((stored.kind, stored.created_by.as_str(), stored.agent), (CredentialKind::ApiKey, "open", true));
    assert!(!format!("{stored:?} {made:?}").contains(&key.reveal()));
    let asked = format!("{:?}", input("shop"));
    assert!(asked.contains("random_secret: KeySecret(..)"), "{asked}");
    let again = now(app.create_key(&credentials, input("shop"))).unwrap_err();
    assert!(matches!(again, Error::CredentialExists { name } if name == "shop"));
    assert!(matches!(now(app.create_key(&credentials, input(LOCAL_ADMIN))), Err(Error::CredentialExists { .. })));
}

#[test]
fn a_certificate_is_stored_by_name_without_a_secret_and_cannot_be_rotated() {
    let (credentials, app) = (InMemoryCredentials::default(), app(Caller::open()));
    let certificate = CertificateName::parse("spiffe://example.org/agent").ok();
    let made = now(app.create_key(&credentials, CreateKeyInput { certificate: certificate.clone(), ..input("agent") }))
        .unwrap();
    assert!(made.key.is_none());
    let stored = credentials.0.lock().unwrap()[0].clone();
    assert_eq!((stored.kind, stored.secret_hash), (CredentialKind::Certificate, [0; 32]));
    assert_eq!(stored.certificate, certificate);
    let renew =
        RotateKeyInput { name: stored.name, overlap: DEFAULT_OVERLAP, random_secret: [3; 32].into(), shown: None };
    let refused = now(app.rotate_key(&credentials, renew)).unwrap_err();
    assert!(matches!(&refused, Error::Conflict { problem, .. } if problem.contains("certificate")), "{refused}");
}

fn long_term_alone() -> Rows {
    Rows::parse("grant", &[], &[Tier::LongTerm], false).unwrap()
}

#[test]
fn a_key_retains_the_limits_it_was_created_with() {
    let (credentials, app) = (InMemoryCredentials::default(), app(Caller::open()));
    let made = now(app.create_key(&credentials, CreateKeyInput { rows: long_term_alone(), ..input("x") })).unwrap();
    assert_eq!(made.listed.credential.grant.rows, long_term_alone());
    assert_eq!(credentials.0.lock().unwrap()[0].grant.rows, long_term_alone());
}

#[test]
fn an_invalid_key_is_refused_and_nothing_is_stored() {
    let (credentials, app) = (InMemoryCredentials::default(), app(Caller::open()));
    let past = CreateKeyInput { expires_at: Some(Timestamp(1_000)), ..input("x") };
    assert!(matches!(now(app.create_key(&credentials, past)), Err(Error::Invalid(v)) if v[0].field == "expires_at"));
    let nothing = CreateKeyInput { operations: Operations::default(), ..input("x") };
    assert!(matches!(now(app.create_key(&credentials, nothing)), Err(Error::Invalid(_))));
    assert!(credentials.0.lock().unwrap().is_empty());
}

#[test]
fn a_key_makes_none_that_may_more_or_lasts_longer_than_itself() {
    let credentials = InMemoryCredentials::default();
    let limited = app(admin(&[Operation::Admin], Some(Timestamp(5_000))));
    let asks = |operation: Operation, end: Option<i64>| CreateKeyInput {
        operations: [operation].into_iter().collect(),
        expires_at: end.map(Timestamp),
        ..input("made")
    };
    for (operation, end) in [(Operation::Read, Some(2_000)), (Operation::Admin, None), (Operation::Admin, Some(5_001))]
    {
        assert!(
            matches!(now(limited.create_key(&credentials, asks(operation, end))), Err(Error::Denied)),
            "{operation} {end:?}"
        );
    }
    assert!(now(limited.create_key(&credentials, asks(Operation::Admin, Some(5_000)))).is_ok());
    let maker = admin(&[Operation::Admin], None);
    let grant = Grant { rows: long_term_alone(), ..(*maker.grant).clone() };
    let of_some = app(Caller { grant: Arc::new(grant), ..maker });
    assert!(matches!(now(of_some.create_key(&credentials, asks(Operation::Admin, None))), Err(Error::Denied)));
    // Nor do they get one by rotating a key that may do more.
    now(app(Caller::open()).create_key(&credentials, input("reader"))).unwrap();
    let renew = RotateKeyInput {
        name: CredentialName::parse("reader").unwrap(),
        overlap: DEFAULT_OVERLAP,
        random_secret: [3; 32].into(),
        shown: None,
    };
    assert!(matches!(now(limited.rotate_key(&credentials, renew)), Err(Error::Denied)));
}

#[test]
fn a_rotated_key_retains_its_id_and_its_old_secret_for_the_overlap() {
    let (credentials, app) = (InMemoryCredentials::default(), app(Caller::open()));
    let old = now(app.create_key(&credentials, input("shop"))).unwrap().key.unwrap();
    let rotate = |overlap: Span| RotateKeyInput {
        name: CredentialName::parse("shop").unwrap(),
        overlap,
        random_secret: [3; 32].into(),
        shown: None,
    };
    for wrong in [Span(-1), Span(Span::days(7).0 + 1)] {
        assert!(matches!(now(app.rotate_key(&credentials, rotate(wrong))), Err(Error::Invalid(_))));
    }
    let new = now(app.rotate_key(&credentials, rotate(Span(10)))).unwrap();
    let key = new.key.unwrap();
    assert_eq!(key.id(), old.id());
    let credential = new.listed.credential;
    assert!(credential.admits(&key, Timestamp(1_000)) && credential.admits(&old, Timestamp(1_009)));
    assert!(!credential.admits(&old, Timestamp(1_010)));
}

#[test]
fn the_holder_of_a_key_renews_it_as_it_is_and_only_with_the_secret_that_is_good_last() {
    let (credentials, open) = (InMemoryCredentials::default(), app(Caller::open()));
    let made = CreateKeyInput { expires_at: Some(Timestamp(2_000)), rows: long_term_alone(), ..input("shop") };
    let old = now(open.create_key(&credentials, made)).unwrap();
    let holder = app(Caller::of(&old.listed.credential));
    let renew = |secret: u8, shown: &ApiKey| RotateKeyInput {
        name: CredentialName::parse("shop").unwrap(),
        overlap: Span(10),
        random_secret: [secret; 32].into(),
        shown: Some(shown.secret_hash()),
    };
    let old_key = old.key.unwrap();
    let new = now(holder.rotate_key(&credentials, renew(3, &old_key))).unwrap();
    let (was, is) = (old.listed.credential, new.listed.credential);
    assert_eq!((&is.grant, is.expires_at, is.id), (&was.grant, was.expires_at, was.id));
    // The replaced secret is accepted during the overlap, but cannot be renewed.
    assert!(is.admits(&old_key, Timestamp(1_009)));
    let again = now(holder.rotate_key(&credentials, renew(4, &old_key)));
    assert!(matches!(again, Err(Error::Conflict { field, .. }) if field == "name"));
    assert!(now(holder.rotate_key(&credentials, renew(4, &new.key.unwrap()))).is_ok());
}

#[test]
fn a_revoked_key_stays_listed_and_cannot_be_renewed() {
    let (credentials, app) = (InMemoryCredentials::default(), app(Caller::open()));
    let name = CredentialName::parse("shop").unwrap();
    assert!(matches!(
        now(app.revoke_key(&credentials, &name)),
        Err(Error::NotFound { entity: Entity::Credential, .. })
    ));
    now(app.create_key(&credentials, input("shop"))).unwrap();
    for _ in 0..2 {
        assert_eq!(now(app.revoke_key(&credentials, &name)).unwrap().credential.revoked_at, Some(Timestamp(1_000)));
    }
    let renew = RotateKeyInput { name, overlap: DEFAULT_OVERLAP, random_secret: [3; 32].into(), shown: None };
    assert!(matches!(now(app.rotate_key(&credentials, renew)), Err(Error::Conflict { field, .. }) if field == "name"));
}

#[test]
fn the_key_of_the_account_is_neither_revoked_nor_rotated_here() {
    let (credentials, app) = (InMemoryCredentials::default(), app(Caller::open()));
    let name = CredentialName::parse(LOCAL_ADMIN).unwrap();
    let refused = now(app.revoke_key(&credentials, &name)).unwrap_err().to_string();
    assert!(refused.ends_with("account that runs the service; rotate it instead"), "{refused}");
    let renew = RotateKeyInput { name, overlap: DEFAULT_OVERLAP, random_secret: [3; 32].into(), shown: None };
    let refused = now(app.rotate_key(&credentials, renew)).unwrap_err().to_string();
    assert!(refused.contains("only the api rotates it"), "{refused}");
}

#[test]
fn keys_are_listed_page_by_page() {
    let (credentials, app) = (InMemoryCredentials::default(), app(Caller::open()));
    for name in ["c", "a", "b"] {
        now(app.create_key(&credentials, input(name))).unwrap();
    }
    let page = |token: &str| {
        let page = crate::usecases::page::PageRequest { size: 2, token: token.to_owned() };
        now(app.list_keys(&credentials, ListKeysInput { page }))
    };
    let names = |page: &KeysPage| page.keys.iter().map(|one| one.credential.name.to_string()).collect::<Vec<_>>();
    let first = page("").unwrap();
    assert_eq!((names(&first).join(","), first.next.as_str()), ("a,b".to_owned(), "b"));
    let last = page(&first.next).unwrap();
    assert_eq!((names(&last).join(","), last.next.as_str()), ("c".to_owned(), ""));
    assert!(matches!(page("no such token"), Err(Error::InvalidPageToken)));
}
