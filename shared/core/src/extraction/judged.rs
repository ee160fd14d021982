//! What the judge of `kimberly-language` reads, and what its verdicts mean here.

use std::collections::BTreeSet;
use std::ops::Range;

use kimberly_language::judge::{self, Certainty, Judge, Kind, Owner, Slot, Verdict};

use super::candidate::{Class, Nature, Why};
use super::courtesy::is_courtesy;
use super::said::Said;
use super::statement::Claim;
use crate::bounds::MAX_IMPORTANCE;
use crate::memory::Role;

/// Judges the claims of a message; none if the weights cannot be read, which a test excludes.
pub(super) fn judge(said: &Said<'_>, before: &[Said<'_>], claims: &[Claim]) -> Vec<Verdict> {
    let (before, message) = messages(said, before);
    let Ok(judge) = Judge::trained() else { return Vec::new() };
    let spans: Vec<Range<usize>> = claims.iter().map(|claim| claim.span.clone()).collect();
    let mut verdicts = judge.read(&before, &message, &spans);
    let mut wholes: Vec<Range<usize>> = claims.iter().map(|claim| claim.whole.clone()).collect();
    wholes.dedup();
    if wholes != spans {
        let of_wholes = judge.read(&before, &message, &wholes);
        let mut at = 0;
        for (claim, verdict) in claims.iter().zip(&mut verdicts) {
            // Both are in the order of the text.
            while wholes.get(at).is_some_and(|whole| *whole != claim.whole) {
                at += 1;
            }
            let whole = of_wholes.get(at);
            // A clause that may be worth keeping is, if the sentence surely is.
            if let Some(whole) =
                whole.filter(|whole| may_be_kept(verdict) && whole.keep.certainty > verdict.keep.certainty)
            {
                verdict.keep = whole.keep;
            }
        }
    }
    verdicts
}

/// A message, and those before it, as the judge reads them.
pub(super) fn messages<'m>(
    said: &'m Said<'m>,
    before: &'m [Said<'m>],
) -> (Vec<judge::Message<'m>>, judge::Message<'m>) {
    let all = || before.iter().chain([said]);
    let speakers: BTreeSet<&str> = all().map(|one| one.name).filter(|name| !name.is_empty()).collect();
    // A name only tells speakers apart.
    let several = speakers.len() > 1;
    (before.iter().map(|one| message(one, several)).collect(), message(said, several))
}

fn message<'m>(said: &'m Said<'m>, several: bool) -> judge::Message<'m> {
    let role = match said.role {
        Role::User => judge::Role::User,
        Role::Assistant => judge::Role::Assistant,
        Role::Tool | Role::System => judge::Role::Tool,
    };
    judge::Message { role, speaker: Some(said.name).filter(|name| several && !name.is_empty()), text: said.content }
}

/// Whether the judge takes it for a statement of the person or of somebody in their life that is or may be worth keeping.
pub(super) fn may_be_kept(verdict: &Verdict) -> bool {
    verdict.keep.certainty >= Certainty::Unsure && verdict.owner.value.is_somebody()
}

/// Whether it may be the person's own, as far as words of others, stories and games are told from it.
pub(super) const fn may_be_own(verdict: &Verdict) -> bool {
    matches!(verdict.owner.value, Owner::Me | Owner::Other | Owner::Task | Owner::Question | Owner::Hypothetical)
}

/// The class and the nature of the record that a statement makes.
pub(super) const fn made(kind: Kind) -> (Class, Nature) {
    match kind {
        Kind::Fact => (Class::Fact, Nature::State),
        Kind::Event => (Class::Fact, Nature::Event),
        Kind::Preference => (Class::Preference, Nature::State),
        Kind::Wish | Kind::Rule => (Class::Preference, Nature::Instruction),
        Kind::Plan => (Class::Decision, Nature::Plan),
        Kind::Knowledge => (Class::Knowledge, Nature::State),
    }
}

/// Importance of what forgetting would harm most, of standing wishes, of most statements, and of what passes in days.
const VITAL: i32 = 9;
const STANDING: i32 = 8;
const USUAL: i32 = 6;
const PASSING: i32 = 3;

/// The importance of a statement, from 1 to 10. One that the person wants to be remembered is as important as a wish.
pub(super) fn importance(verdict: &Verdict, corrects: bool, is_remembered: bool) -> u8 {
    let identity = [Slot::Name, Slot::Pronouns, Slot::Birthday, Slot::Partner, Slot::Child, Slot::Residence];
    let vital = [Slot::Allergy, Slot::Diet, Slot::Mobility, Slot::Medication, Slot::Health];
    let fills = |slots: &[Slot]| verdict.slot.value.is_some_and(|slot| slots.contains(&slot));
    let importance = match verdict.kind.value {
        _ if fills(&vital) => VITAL,
        _ if is_remembered => STANDING,
        _ if verdict.momentary.value => PASSING,
        Kind::Wish | Kind::Rule => STANDING,
        _ if fills(&identity) => STANDING,
        _ => USUAL,
    };
    u8::try_from((importance + i32::from(corrects)).clamp(1, MAX_IMPORTANCE)).unwrap_or(1)
}

/// Least probability from which a slot makes a statement sensitive.
const SENSITIVE_FROM: f32 = 0.5;

/// Whether a statement needs a consent by its slot: diagnoses and medication, religion, politics. Not what a host asks a
/// guest, such as a diet or an allergy.
pub(super) fn is_sensitive(verdict: &Verdict) -> bool {
    let slots = [Slot::Medication, Slot::Religion, Slot::Politics];
    let named = verdict.slot.value.is_some_and(|slot| slots.contains(&slot));
    let ill = verdict.slot.value == Some(Slot::Health) && verdict.sensitive.value;
    (named || ill) && verdict.slot.probability >= SENSITIVE_FROM
}

/// Why nothing is kept of a text with this verdict.
pub(super) fn why(verdict: &Verdict, text: &str) -> Why {
    match verdict.owner.value {
        _ if is_courtesy(text) => Why::Greeting,
        Owner::Question | Owner::Task => Why::Question,
        Owner::Pasted | Owner::Quoted => Why::Quoted,
        Owner::Me | Owner::Other => Why::Nothing,
        Owner::Fiction
        | Owner::RolePlay
        | Owner::Dream
        | Owner::Game
        | Owner::Hypothetical
        | Owner::Joke
        | Owner::Template => Why::Hypothetical,
    }
}
