//! Evaluates filters on cached entries.

use kimberly_core::memory::MemoryFilter;

use super::{Columns, Entry};
use crate::filter::{Condition, NAMESPACES, conditions};

/// Reports whether cached entries can evaluate the whole filter.
pub(crate) fn covers(filter: &MemoryFilter) -> bool {
    conditions(filter).iter().all(|condition| match condition {
        Condition::Among(of, _) | Condition::From(of, _) | Condition::Before(of, _) | Condition::Is(of, _) => {
            of.cached.is_some()
        }
        Condition::Named(names, _) => *names == NAMESPACES,
        Condition::AtLeast(..)
        | Condition::Below(..)
        | Condition::HeldAsKnown { .. }
        | Condition::Text(..)
        | Condition::Subject(_)
        | Condition::Prefix(..)
        | Condition::AnyTag(..) => false,
    })
}

/// A condition on an entry.
enum Test {
    Among(ReadColumn, Vec<i64>),
    From(ReadColumn, i64),
    Before(ReadColumn, i64),
    Never,
}

type ReadColumn = fn(&Entry) -> i64;

/// A compiled filter that [`covers`] allows.
pub(crate) struct Pass(Vec<Test>);

impl Pass {
    /// Compiles a filter for entries of these columns; a filter that they do not cover matches nothing.
    pub(crate) fn new(filter: &MemoryFilter, columns: &Columns) -> Self {
        let test = |condition| match condition {
            Condition::Among(of, numbers) => Some(Test::Among(of.cached?, numbers)),
            Condition::From(of, least) => Some(Test::From(of.cached?, least)),
            Condition::Before(of, end) => Some(Test::Before(of.cached?, end)),
            Condition::Is(of, set) => Some(Test::Among(of.cached?, vec![i64::from(set)])),
            Condition::Named(NAMESPACES, names) => {
                let numbers = names.iter().filter_map(|name| columns.namespace(name)).map(i64::from);
                Some(Test::Among(Entry::namespace, numbers.collect()))
            }
            Condition::AtLeast(..)
            | Condition::Below(..)
            | Condition::HeldAsKnown { .. }
            | Condition::Text(..)
            | Condition::Subject(_)
            | Condition::Prefix(..)
            | Condition::Named(..)
            | Condition::AnyTag(..) => None,
        };
        Self(conditions(filter).into_iter().map(|condition| test(condition).unwrap_or(Test::Never)).collect())
    }

    /// Reports whether an entry passes.
    pub(super) fn lets(&self, entry: &Entry) -> bool {
        self.0.iter().all(|test| match test {
            Test::Among(of, numbers) => numbers.contains(&of(entry)),
            Test::From(of, least) => of(entry) >= *least,
            Test::Before(of, end) => of(entry) < *end,
            Test::Never => false,
        })
    }
}
