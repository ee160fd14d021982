//! What the judge makes of each claim of a message, with its reasons: for people who want to know why.

use std::ops::Range;

use kimberly_language::judge::{Head, Judge, Slot};

use super::find::claims_of;
use super::judged::messages;
use super::said::Said;
use crate::memory::Role;

/// What the judge makes of a claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    /// Byte range of the claim in the message.
    pub span: Range<usize>,
    /// How probable it is that it is worth keeping, in [0, 1].
    pub probability: f32,
    /// Whose it is, as `shared/language/corpus/GUIDE.md` names it.
    pub owner: &'static str,
    /// Whether it is so, as the guide names it.
    pub polarity: &'static str,
    /// What it fills, as the guide names it.
    pub slot: Option<&'static str>,
    /// The features that speak most for or against keeping it, the strongest first.
    pub reasons: Vec<String>,
}

/// Explains a message of a person; nothing for others.
pub fn explain(said: &Said<'_>, before: &[Said<'_>]) -> Vec<Explained> {
    let Ok(judge) = Judge::trained() else { return Vec::new() };
    if said.role != Role::User {
        return Vec::new();
    }
    let claims = claims_of(said.language(before), said.content);
    let spans: Vec<Range<usize>> = claims.iter().map(|claim| claim.span.clone()).collect();
    let verdicts = super::judged::judge(said, before, &claims);
    let (before, message) = messages(said, before);
    let reasons = judge.explain(&before, &message, &spans, Head::Keep);
    let explained = verdicts.into_iter().zip(spans).zip(reasons).map(|((verdict, span), reasons)| Explained {
        span,
        probability: verdict.keep.probability,
        owner: verdict.owner.value.name(),
        polarity: verdict.polarity.value.name(),
        slot: verdict.slot.value.map(Slot::name),
        reasons: reasons.into_iter().map(|reason| reason.feature).collect(),
    });
    explained.collect()
}
