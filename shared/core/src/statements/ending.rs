//! What a statement such as "I no longer work at SAP" ends: a record that says of the same thing that it is so.

use std::collections::BTreeSet;

use super::gist::{Gist, alike};
use super::part::pieces;
use crate::text::words::{fold, stem, words};

/// Words that say that something ended, and not what.
const ENDED: &str = "\
    abandoned anymore back broke broken cancel cancelled canceled ceased closed dead died done drop dropped end ended ex expired failed finished former \
    formerly gave give given giving gone got lapsed left longer lost more moved never no not notice off out over parted passed past put quit ran resigned \
    retired returned rid sell sold split stop stopped stopping swapped switched through threw till traded up used went withdrew don doesn didn isn aren wasn won \
    abbestellt abgebrochen abgegeben abgemeldet abgesagt aufgegeben aufgehort ausgetreten ausgezogen beendet ehemalig ehemalige ehemaliger fruher geendet \
    gekundigt gelost geplatzt geschlossen gestorben getrennt gewechselt kaputt kein keine keinen keiner los mehr nicht nie nimmer pleite schluss tot umgestiegen \
    verkauft verloren verstorben vorbei weg weggefallen \
    acabo acabou annule ancien antes arrete arreter ausi cancelado cancele chiuso dejado deje demissione disdetto divorce fini finito jamais lasciato mais mas mort \
    morto muerto murio non nunca parado parei perdido perdu perso piu plus quitte smesso ya vendi vendido vendu venduto";
/// Words of when something ended. Days of the week and times of day say which of several things ended.
const WHEN: &str = "\
    yesterday today last week weeks month months year years ago spring summer autumn winter recently finally now good january february march april may june \
    july august september october november december gestern heute letzte letzten letztes woche wochen monat monate jahr jahre januar februar marz mai juni \
    juli oktober dezember jetzt endlich";
/// Words of use and of names, beside which a record says nothing but the thing.
const USES: &str = "\
    attend call called do drink drive eat go keep lease name named own play practise practice rent ride smoke take use wear fahre fahrt gehe geht heisst nutze \
    nutzt rauche raucht spiele spielt trinke trinkt";

/// An ending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// Stems of what it is about, in the clauses that say that something ended.
    about: BTreeSet<String>,
    /// Names and numbers among them.
    names: BTreeSet<String>,
    /// The words as they are written, folded.
    written: Vec<String>,
}

impl Ending {
    /// Reads what a text says that ended; `None` if it names nothing.
    pub fn of(text: &str) -> Option<Self> {
        let clauses = pieces(text).into_iter().map(|piece| &text[piece]);
        let ending: Vec<&str> = clauses.filter(|clause| says_ended(clause)).collect();
        let text = if ending.is_empty() { text.to_owned() } else { ending.join(" ") };
        let gist = Gist::of(&text);
        let light: BTreeSet<String> = words(&text)
            .map(fold)
            .filter(|word| is_in(ENDED, word) || is_in(WHEN, word))
            .map(|word| stem(&word))
            .collect();
        let tells = |word: &&String| !light.contains(*word);
        let without = |words: &BTreeSet<String>| words.iter().filter(tells).cloned().collect::<BTreeSet<_>>();
        let (about, names) = (without(gist.content()), without(gist.names()));
        let written = words(&text).map(fold).filter(|word| about.contains(&stem(word))).collect();
        (!about.is_empty()).then_some(Self { about, names, written })
    }

    /// The words by which a record of the same is found; at most `most`.
    pub fn words(&self, most: usize) -> Vec<String> {
        self.written.iter().take(most).cloned().collect()
    }

    /// Reports whether a statement no longer holds: it says nothing but of the same, or of the same by name.
    pub fn ends(&self, statement: &str) -> bool {
        let gist = Gist::of(statement);
        let said = gist.content();
        // What is denied or over already agrees.
        if says_ended(statement) {
            return false;
        }
        let is_name = |word: &String| self.names.contains(word) || gist.names().contains(word);
        let held = |word: &&String| {
            self.about.contains(*word) || (!is_name(word) && self.about.iter().any(|other| alike(word, other)))
        };
        let (held, rest): (Vec<&String>, Vec<&String>) = said.iter().partition(held);
        if held.is_empty() {
            return false;
        }
        // "Abo" is of "Fitnessabo".
        let is_held = |word: &&String| {
            let is_name = self.names.contains(*word);
            said.iter().any(|other| other.ends_with(word.as_str()) || (!is_name && alike(word, other)))
        };
        let extra = self.about.iter().filter(|word| !is_held(word));
        let names_more = extra.clone().any(|word| self.names.contains(word));
        let uses: BTreeSet<String> = USES.split_whitespace().map(stem).collect();
        let only = rest.iter().all(|word| uses.contains(*word) || gist.names().contains(*word));
        let named =
            held.iter().any(|word| self.names.contains(*word)) && !rest.iter().any(|word| gist.names().contains(*word));
        // All that it says ended; or all that ended is of it: several words, the thing with its use alone, or it by name.
        (rest.is_empty() && !names_more)
            || (extra.count() == 0 && (held.len() > 1 || only || (named && 3 * held.len() >= said.len())))
    }
}

/// Reports whether a text has a word that says that something ended, or is not so.
fn says_ended(text: &str) -> bool {
    words(text).any(|word| is_in(ENDED, &fold(word)))
}

fn is_in(list: &str, folded: &str) -> bool {
    list.split_whitespace().any(|word| word == folded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(ending: &str, statement: &str) -> bool {
        Ending::of(ending).is_some_and(|one| one.ends(statement))
    }

    #[test]
    fn what_is_named_ends() {
        for (ending, statement) in [
            ("I no longer work at SAP.", "The user works at SAP."),
            ("I had steak yesterday, I'm not vegetarian anymore.", "The user is vegetarian."),
            ("I've quit spin class.", "The user goes to spin class every Wednesday."),
            ("We don't have a dog anymore.", "The user: We have a dog called Bolt."),
            ("Bolt died last spring, we don't have a dog anymore.", "The user: We have a dog called Bolt."),
            ("Das Abo bei MegaGym habe ich gekündigt.", "Ich habe ein Fitnessabo bei MegaGym."),
            ("I stopped the guitar lessons in May.", "The user is taking guitar lessons with Nils."),
            ("I sold the Fiat and drive a Dacia now.", "The user drives a blue Fiat."),
            ("I sold the house.", "The user owns a house."),
            ("Ich rauche nicht mehr.", "Die Person raucht."),
        ] {
            assert!(ends(ending, statement), "{ending} {statement}");
        }
    }

    #[test]
    fn what_only_shares_a_word_holds() {
        for (ending, statement) in [
            ("I no longer work at night.", "The user works at SAP."),
            ("I no longer work on Fridays.", "The user works at SAP."),
            ("I don't work weekends anymore.", "The user works at SAP."),
            ("I no longer work with Tom at SAP.", "The user works at SAP."),
            ("I no longer work with Carl.", "The user works with Carla."),
            ("We don't have a dog anymore.", "The user is afraid of dogs."),
            ("I gave up coffee.", "The user has a coffee machine from DeLonghi."),
            ("I stopped drinking coffee for good.", "The user doesn't drink coffee."),
            ("I sold the Fiat.", "The user drives a Dacia."),
            ("I sold the Fiat and drive a Dacia now.", "The user bought a Dacia."),
            ("I stopped drinking coffee.", "The user drinks tea every morning."),
            ("We cancelled the trip to Rome.", "The user's trip to Oslo starts on Friday."),
            ("I quit the choir in Graz.", "The user lives in Graz."),
            ("I've stopped eating meat at lunch.", "The user eats lunch at noon."),
            ("My gym membership expired.", "The user's library membership is free."),
            ("Ich spiele nicht mehr Geige.", "Die Person spielt Klavier."),
            ("I lost my keys.", "The spare keys are with Nadia in Porto."),
        ] {
            assert!(!ends(ending, statement), "{ending} {statement}");
        }
        assert_eq!(Ending::of("It is over."), None);
    }
}
