//! The access matrix: each kind of credential with each rpc, for all relevant users and memories; then ten thousand
//! random calls, over gRPC and JSON.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt as _;
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

use crate::access::credentials::{OTHER, OWN};
use crate::access::dialects::{self, Answer, Dialect};
use crate::access::expected::{Outcome, What, Whom, outcome};
use crate::access::json;
use crate::access::requests::{self, About};
use crate::access::rpcs::{self, Reach, Rpc};
use crate::access::world::{SECRET, World};

/// Number of random calls, unless `KIMBERLY_ACCESS_CALLS` sets another.
const CALLS: u64 = 10_000;
/// Seed of the random calls, unless `KIMBERLY_ACCESS_SEED` sets another.
const SEED: u64 = 20_261_121;
/// Concurrent calls.
const AT_ONCE: usize = 12;

/// One call of the matrix, by indices.
#[derive(Clone, Copy, Debug)]
struct Cell {
    kind: usize,
    rpc: usize,
    whom: Whom,
    what: What,
    dialect: Dialect,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_call_is_decided_by_its_credential_and_refusals_tell_nothing() {
    let world = Arc::new(World::new().await);
    let rpcs = Arc::new(rpcs::all());
    let refusals = Arc::new(Refusals::default());
    let (count, seed) = (number("KIMBERLY_ACCESS_CALLS", CALLS), number("KIMBERLY_ACCESS_SEED", SEED));
    let mut dice = StdRng::seed_from_u64(seed);
    let random = (0..count).map(|_| any(&world, &rpcs, &mut dice));
    let cells: Vec<Cell> = whole(&world, &rpcs).into_iter().chain(random).collect();
    let said = format!("seed {seed}");
    let judged = futures::stream::iter(cells).map(|cell| {
        let (world, rpcs, refusals, said) =
            (Arc::clone(&world), Arc::clone(&rpcs), Arc::clone(&refusals), said.clone());
        tokio::spawn(async move { judge(&world, &rpcs[cell.rpc], cell, &refusals, &said).await })
    });
    let mut counts: BTreeMap<Outcome, usize> = BTreeMap::new();
    let mut judged = judged.buffer_unordered(AT_ONCE);
    while let Some(outcome) = judged.next().await {
        *counts.entry(outcome.expect("a call ends well")).or_default() += 1;
    }
    // A matrix in which all calls have the same outcome would prove nothing.
    for outcome in [Outcome::Served, Outcome::Unauthenticated, Outcome::Denied, Outcome::NotFound] {
        assert!(counts.get(&outcome).is_some_and(|count| *count > 100), "{counts:?}");
    }
}

fn number(variable: &str, default: u64) -> u64 {
    let set = std::env::var(variable).ok();
    set.map_or(default, |number| number.parse().unwrap_or_else(|_| panic!("{variable} is no number")))
}

/// Every kind with every rpc, over gRPC, for all relevant users and memories.
fn whole(world: &World, rpcs: &[Rpc]) -> Vec<Cell> {
    let mut cells = Vec::new();
    for (rpc, of) in rpcs.iter().enumerate() {
        for kind in 0..world.kinds.len() {
            for whom in users(of) {
                for what in memories(of) {
                    cells.push(Cell { kind, rpc, whom: *whom, what: *what, dialect: Dialect::Grpc });
                }
            }
        }
    }
    cells
}

const fn users(rpc: &Rpc) -> &'static [Whom] {
    match rpc.reach {
        Reach::Nobody | Reach::System => &[Whom::Nobody],
        Reach::SystemOrItself => &[Whom::Nobody, Whom::Itself],
        Reach::UserOrSystem => &[Whom::Own, Whom::Other, Whom::AbsentAlike, Whom::Absent, Whom::Nobody],
        _ => &[Whom::Own, Whom::Other, Whom::AbsentAlike, Whom::Absent],
    }
}

const fn memories(rpc: &Rpc) -> &'static [What] {
    match rpc.reach {
        Reach::Memory => &[What::Reached, What::Hidden, What::Absent],
        _ => &[What::Reached],
    }
}

fn any(world: &World, rpcs: &[Rpc], dice: &mut StdRng) -> Cell {
    let rpc = dice.random_range(0..rpcs.len());
    let (users, memories) = (users(&rpcs[rpc]), memories(&rpcs[rpc]));
    let whom = users[dice.random_range(0..users.len())];
    // Without a user the path differs.
    let json = dice.random_bool(0.5) && !(whom == Whom::Nobody && rpcs[rpc].reach == Reach::UserOrSystem);
    Cell {
        kind: dice.random_range(0..world.kinds.len()),
        rpc,
        whom,
        what: memories[dice.random_range(0..memories.len())],
        dialect: if json { Dialect::Json } else { Dialect::Grpc },
    }
}

/// Makes the call and checks its result.
async fn judge(world: &World, rpc: &Rpc, cell: Cell, refusals: &Refusals, said: &str) -> Outcome {
    let kind = &world.kinds[cell.kind];
    let mut about = about(world, cell);
    if requests::erases(rpc.path) && matches!(cell.whom, Whom::Own | Whom::Other) && cell.what != What::Absent {
        about.memory = world.another(&about.user, cell.what == What::Hidden).await;
    }
    let body = requests::of(rpc.path, &about);
    let expected = outcome(kind, rpc, (cell.whom, &about.user), cell.what);
    // Some rpcs have no HTTP binding.
    let http = if cell.dialect == Dialect::Json { json::of(rpc.path, &body) } else { None };
    let dialect = if http.is_some() { Dialect::Json } else { Dialect::Grpc };
    let answer = send(world, rpc, cell, (body, http)).await;
    let context = || format!("{} with {:?} as {cell:?} ({said}): {answer:?}", rpc.path, kind.name);
    assert_eq!(answer.outcome, expected, "{}", context());
    if expected != Outcome::Served {
        let refusal = answer.refusal.replace(&about.memory, "<memory>");
        assert!(about.user.is_empty() || !refusal.contains(&about.user), "{}", context());
        refusals.hold((expected, dialect), &refusal, &context);
    }
    let sees_hidden = kind.may.is_some_and(|may| may.users.reach(&about.user) && !may.limited);
    if !sees_hidden {
        for hidden in [SECRET, &world.own.hidden, &world.other.hidden] {
            let shown = answer.body.windows(hidden.len()).any(|part| part == hidden.as_bytes());
            assert!(!shown || hidden == about.memory, "{hidden} is shown: {}", context());
        }
    }
    expected
}

fn about(world: &World, cell: Cell) -> About {
    static ABSENT: AtomicU64 = AtomicU64::new(0);
    let another = || ABSENT.fetch_add(1, Ordering::Relaxed);
    let (user, memories) = match cell.whom {
        Whom::Own => (OWN.to_owned(), &world.own),
        Whom::Other => (OTHER.to_owned(), &world.other),
        Whom::AbsentAlike => (format!("ad-{}", another()), &world.own),
        Whom::Absent => (format!("nobody-{}", another()), &world.own),
        Whom::Nobody | Whom::Itself => (String::new(), &world.own),
    };
    let memory = match cell.what {
        What::Reached => memories.reached.clone(),
        What::Hidden => memories.hidden.clone(),
        What::Absent => format!("mem_01980000-0000-7000-8000-{:012x}", another()),
    };
    let key = if cell.whom == Whom::Itself { world.kinds[cell.kind].credential() } else { "no-such-key".to_owned() };
    About { user, memory, key }
}

/// Retries while the server is overloaded.
async fn send(world: &World, rpc: &Rpc, cell: Cell, (body, http): (Vec<u8>, Option<json::Http>)) -> Answer {
    let kind = &world.kinds[cell.kind];
    let shared = || if kind.open { &world.open } else { &world.required };
    let channel = || kind.own.as_ref().unwrap_or_else(shared).clone();
    loop {
        let answer = match http.clone() {
            Some(http) => dialects::json(channel(), http, kind.shown.as_deref()).await,
            None => dialects::grpc(channel(), rpc.path, kind.shown.as_deref(), body.clone()).await,
        };
        if !answer.is_overload() {
            return answer;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// The refusal text per outcome: it must be identical, whatever exists.
#[derive(Default)]
struct Refusals(Mutex<BTreeMap<(Outcome, Dialect), String>>);

impl Refusals {
    fn hold(&self, which: (Outcome, Dialect), refusal: &str, context: &dyn Fn() -> String) {
        let mut known = self.0.lock().expect("no call panicked");
        let first = known.entry(which).or_insert_with(|| refusal.to_owned());
        assert_eq!(first, refusal, "another refusal than before: {}", context());
    }
}
