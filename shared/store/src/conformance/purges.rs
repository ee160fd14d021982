//! Purges of users.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use kimberly_core::access::{
    Credential, CredentialId, CredentialKind, CredentialName, Grant, Operation, Rows, UserPatterns,
};
use kimberly_core::erasure::{Erased, Purge, PurgeStep};
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ports::{Added, AuditQuery, By, Clock, ErasesUsers, Purges};
use kimberly_core::time::Timestamp;
use kimberly_core::usecases::purge::{Elsewhere, run_purge};
use kimberly_core::{PurgeId, UserId};

use super::Bed;
use super::fixtures::{at, draft, user};

struct Standing;

impl Clock for Standing {
    fn now(&self) -> Timestamp {
        at(9_000)
    }
}

/// Holds no data, and counts its calls.
#[derive(Default)]
struct Nothing(AtomicUsize);

#[async_trait]
impl ErasesUsers for Nothing {
    async fn erase(&self, _: &UserId) -> Result<()> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

fn elsewhere() -> Elsewhere {
    Elsewhere {
        vectors: Arc::new(Nothing::default()),
        attachments: Arc::new(Nothing::default()),
        jobs: Arc::new(Nothing::default()),
    }
}

fn id(n: u128) -> PurgeId {
    PurgeId(uuid::Uuid::from_u128(n))
}

fn by() -> By {
    By::new("key:ann", at(8_000))
}

async fn run(purges: &dyn Purges, n: u128) -> Result<Purge> {
    run_purge(purges, &elsewhere(), &Standing, id(n)).await
}

async fn is_refused(bed: &Bed, who: &str) -> bool {
    let read = bed.vaults.read(&user(who), |r| Box::pin(r.usage())).await;
    let write = bed.vaults.transact(&user(who), "test", |tx| Box::pin(async move { tx.usage().await })).await;
    let refused = |outcome: Result<_>| matches!(outcome, Err(Error::Purging));
    refused(read) && refused(write)
}

async fn with_three(bed: &Bed, who: &str) {
    bed.remember(who, ["one walrus", "two walrus", "three walrus"].map(draft)).await;
}

/// From the beginning of a purge, the vault cannot be read or written. At the end only a receipt without a name is
/// left, and the user can start again.
pub async fn a_purged_user_is_hidden_then_gone_and_starts_empty(bed: &Bed) {
    with_three(bed, "u").await;
    with_three(bed, "v").await;
    let others = bed.usage("v").await;
    let begun = bed.purges.begin(id(1), &user("u"), &by()).await.unwrap();
    assert_eq!((begun.step, begun.user.as_ref()), (PurgeStep::Vault, Some(&user("u"))));
    assert!(is_refused(bed, "u").await && !is_refused(bed, "v").await);
    let again = bed.purges.begin(id(2), &user("u"), &by()).await.unwrap();
    assert_eq!(again, begun, "one at a time");
    assert_eq!(bed.purges.under_way(9).await.unwrap(), [id(1)]);

    let receipt = run(&*bed.purges, 1).await.unwrap();
    assert_eq!((receipt.step, &receipt.user, receipt.finished_at), (PurgeStep::Done, &None, Some(at(9_000))));
    assert_eq!((receipt.asked_by.as_str(), receipt.asked_at), ("key:ann", at(8_000)));
    assert_eq!(receipt.erased.rows.get("memories"), Some(&3), "{:?}", receipt.erased);
    assert!(receipt.erased.memory_bytes > 0 && !receipt.erased.unreadable);
    assert_eq!(bed.purges.get(id(1)).await.unwrap(), Some(receipt.clone()));
    assert!(bed.purges.is_of(&receipt, &user("u")) && !bed.purges.is_of(&receipt, &user("v")));
    assert!(bed.purges.under_way(9).await.unwrap().is_empty());
    assert_eq!(run(&*bed.purges, 1).await.unwrap(), receipt, "once it is done, nothing is done again");

    assert_eq!(bed.registry.users(None, 9).await.unwrap(), [user("v")]);
    assert_eq!(bed.usage("v").await, others);
    assert_eq!(bed.usage("u").await.created, 0, "an empty vault, and none is made");
    assert_eq!(bed.registry.count_users().await.unwrap(), 1);
    with_three(bed, "u").await;
    assert_eq!(bed.usage("u").await.created, 3, "numbers start over");
}

/// The system's audit records that a purge was requested and completed, without a name; the receipt refers to the entry.
pub async fn a_purge_is_recorded_in_the_audit_without_a_name(bed: &Bed) {
    with_three(bed, "u").await;
    bed.purges.begin(id(1), &user("u"), &by()).await.unwrap();
    let receipt = run(&*bed.purges, 1).await.unwrap();
    let query = AuditQuery { limit: 99, ..AuditQuery::default() };
    let entries = bed
        .audit
        .read(move |reader| {
            let query = query.clone();
            Box::pin(async move { reader.audit_entries(&query).await })
        })
        .await
        .unwrap();
    let told: Vec<_> = entries.iter().map(|entry| (entry.action.as_str(), entry.actor.as_str(), entry.count)).collect();
    assert_eq!(told, [("user.purge_asked", "key:ann", 1), ("user.purge", "key:ann", 3)]);
    let subject = format!("{}/{}", id(1), receipt.pseudonym);
    assert!(entries.iter().all(|entry| entry.subject.as_deref() == Some(&subject)), "{entries:?}");
    assert_eq!(receipt.told, entries.last().map(kimberly_core::audit::AuditRecord::head));
    assert_eq!(receipt.pseudonym.len(), 32);
}

/// Also for a user without any data; lists are newest first.
pub async fn purges_are_listed_newest_first_of_one_user_or_of_all(bed: &Bed) {
    for (n, who) in [(1, "u"), (2, "v"), (3, "u")] {
        with_three(bed, who).await;
        bed.purges.begin(id(n), &user(who), &by()).await.unwrap();
        run(&*bed.purges, n).await.unwrap();
    }
    bed.purges.begin(id(4), &user("nobody"), &by()).await.unwrap();
    let receipt = run(&*bed.purges, 4).await.unwrap();
    assert_eq!(Erased { file_bytes: 0, ..receipt.erased }, Erased::default(), "there was nothing");
    let ids = |found: Vec<Purge>| found.into_iter().map(|purge| purge.id.0.as_u128()).collect::<Vec<_>>();
    let purges = &*bed.purges;
    assert_eq!(ids(purges.list(None, None, 9).await.unwrap()), [4, 3, 2, 1]);
    assert_eq!(ids(purges.list(None, Some(id(4)), 2).await.unwrap()), [3, 2]);
    assert_eq!(ids(purges.list(Some(&user("u")), None, 9).await.unwrap()), [3, 1]);
    assert_eq!(ids(purges.list(Some(&user("u")), Some(id(3)), 9).await.unwrap()), [1]);
    assert_eq!(purges.get(id(77)).await.unwrap(), None);
}

fn credential(raw: &str, n: u8, users: &[&str]) -> Credential {
    Credential {
        id: CredentialId::from_random([n; 8]),
        name: CredentialName::parse(raw).unwrap(),
        kind: CredentialKind::ApiKey,
        certificate: None,
        secret_hash: [n; 32],
        agent: false,
        grant: Grant {
            users: UserPatterns::parse("users", users).unwrap(),
            operations: [Operation::Read].into_iter().collect(),
            rows: Rows::default(),
        },
        created_at: at(7),
        created_by: "somebody".to_owned(),
        expires_at: None,
        revoked_at: None,
        replaced: None,
    }
}

/// Credentials for this user alone are revoked, those for several users lose the name, and patterns stay.
pub async fn credentials_of_a_purged_user_end_or_are_narrowed(bed: &Bed) {
    let granted: [(&str, &[&str]); 5] =
        [("alone", &["u"]), ("twice", &["u", "u"]), ("also", &["u", "v"]), ("pattern", &["u*"]), ("other", &["v"])];
    for (n, (name, users)) in (1..).zip(granted) {
        assert_eq!(bed.credentials.add(&credential(name, n, users), 99, &by()).await.unwrap(), Added::Done);
    }
    bed.purges.begin(id(1), &user("u"), &by()).await.unwrap();
    let receipt = run(&*bed.purges, 1).await.unwrap();
    assert_eq!((receipt.erased.credentials_revoked, receipt.erased.credentials_narrowed), (2, 1));
    for (name, revoked, users) in [
        ("alone", true, receipt.pseudonym.as_str()),
        ("twice", true, &receipt.pseudonym),
        ("also", false, "v"),
        ("pattern", false, "u*"),
        ("other", false, "v"),
    ] {
        let kept = bed.credentials.by_name(&CredentialName::parse(name).unwrap()).await.unwrap().unwrap().credential;
        assert_eq!(kept.revoked_at.is_some(), revoked, "{name}");
        assert_eq!(kept.grant.users.iter().collect::<Vec<_>>(), [users], "{name}");
    }
}

/// Purges that fail before or after one of the calls.
struct Cut {
    purges: Arc<dyn Purges>,
    calls: AtomicUsize,
    at: usize,
    before: bool,
}

impl Cut {
    fn broken() -> Error {
        Error::storage(StorageFailure::Unavailable, "cut")
    }

    /// Reports whether this call is the one that fails.
    fn is_it(&self) -> bool {
        self.calls.fetch_add(1, Ordering::Relaxed) == self.at
    }
}

macro_rules! cut {
    ($this:ident, $call:expr) => {{
        let is_it = $this.is_it();
        if is_it && $this.before {
            return Err(Cut::broken());
        }
        let done = $call.await;
        if is_it { Err(Cut::broken()) } else { done }
    }};
}

#[async_trait]
impl Purges for Cut {
    async fn begin(&self, id: PurgeId, user: &UserId, by: &By) -> Result<Purge> {
        cut!(self, self.purges.begin(id, user, by))
    }
    async fn get(&self, id: PurgeId) -> Result<Option<Purge>> {
        cut!(self, self.purges.get(id))
    }
    async fn list(&self, of: Option<&UserId>, before: Option<PurgeId>, limit: usize) -> Result<Vec<Purge>> {
        cut!(self, self.purges.list(of, before, limit))
    }
    async fn under_way(&self, limit: usize) -> Result<Vec<PurgeId>> {
        cut!(self, self.purges.under_way(limit))
    }
    fn is_of(&self, purge: &Purge, user: &UserId) -> bool {
        self.purges.is_of(purge, user)
    }
    async fn hold(&self) -> Result<Box<dyn Send>> {
        cut!(self, self.purges.hold())
    }
    async fn store_progress(&self, purge: &Purge) -> Result<()> {
        cut!(self, self.purges.store_progress(purge))
    }
    async fn empty_vault(&self, user: &UserId, purge: PurgeId) -> Result<Erased> {
        cut!(self, self.purges.empty_vault(user, purge))
    }
    async fn destroy_vault(&self, user: &UserId, purge: PurgeId) -> Result<()> {
        cut!(self, self.purges.destroy_vault(user, purge))
    }
    async fn forget_user(&self, purge: &Purge, at: Timestamp) -> Result<Purge> {
        cut!(self, self.purges.forget_user(purge, at))
    }
    async fn release(&self, user: &UserId, purge: PurgeId) -> Result<()> {
        cut!(self, self.purges.release(user, purge))
    }
    async fn finish(&self, purge: &Purge, at: Timestamp) -> Result<Purge> {
        cut!(self, self.purges.finish(purge, at))
    }
}

/// However it is interrupted and resumed, a purge ends with the same receipt as an uninterrupted one, and repeats nothing.
pub async fn a_purge_that_is_cut_anywhere_ends_with_the_same_receipt(bed: &Bed) {
    with_three(bed, "u").await;
    bed.purges.begin(id(1), &user("u"), &by()).await.unwrap();
    let whole = run(&*bed.purges, 1).await.unwrap().erased;
    let mut cuts = 0;
    for n in 2.. {
        with_three(bed, "u").await;
        bed.purges.begin(id(n), &user("u"), &by()).await.unwrap();
        let at = usize::try_from(n).unwrap() / 2 - 1;
        let cut = Cut { purges: Arc::clone(&bed.purges), calls: AtomicUsize::new(0), at, before: n % 2 == 0 };
        let broken = run(&cut, n).await.is_err();
        let receipt = run(&*bed.purges, n).await.unwrap();
        assert_eq!(receipt.step, PurgeStep::Done);
        assert_eq!(Erased { file_bytes: 0, ..receipt.erased }, Erased { file_bytes: 0, ..whole.clone() }, "{n}");
        assert_eq!(bed.usage("u").await.created, 0);
        if !broken {
            break;
        }
        cuts += 1;
    }
    assert!(cuts > 20, "{cuts} cuts prove little");
}
