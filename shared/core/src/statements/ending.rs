//! What a statement such as "I no longer work at SAP" ends: a record that says of the same thing that it is so.

use std::collections::BTreeSet;

use super::gist::Gist;
use crate::text::lists::is_time_word;
use crate::text::words::{fold, stem};

/// Words that say that something ended, and not what.
const ENDED: &str = "\
    abandoned anymore back broke broken cancel cancelled canceled ceased closed dead died done drop dropped end ended ex expired failed finished former \
    formerly gave give given giving gone got lapsed left longer lost more moved never notice off out over parted passed past put quit ran resigned retired \
    returned rid sell sold split stop stopped stopping swapped switched through threw till traded up used went withdrew \
    abbestellt abgebrochen abgegeben abgemeldet abgesagt aufgegeben aufgehort ausgetreten ausgezogen beendet ehemalig ehemalige ehemaliger fruher geendet \
    gekundigt gelost geplatzt geschlossen gestorben getrennt gewechselt kaputt kein keine keinen keiner los mehr nicht nie nimmer pleite schluss tot umgestiegen \
    verkauft verloren verstorben vorbei weg weggefallen \
    acabo acabou annule ancien antes arrete arreter ausi cancelado cancele chiuso dejado deje demissione disdetto divorce fini finito jamais lasciato mais mas mort \
    morto muerto murio non nunca parado parei perdido perdu perso piu plus quitte smesso ya vendi vendido vendu venduto";

/// An ending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// Stems of what it is about.
    about: BTreeSet<String>,
    /// Names and numbers among them.
    names: BTreeSet<String>,
}

impl Ending {
    /// Reads what a text says that ended; `None` if it names nothing.
    pub fn of(text: &str) -> Option<Self> {
        let gist = Gist::of(text);
        let ended: BTreeSet<String> = ENDED.split_whitespace().map(|word| stem(&fold(word))).collect();
        let tells = |word: &&String| !ended.contains(*word) && !is_time_word(word);
        let without = |words: &BTreeSet<String>| words.iter().filter(tells).cloned().collect::<BTreeSet<_>>();
        let (about, names) = (without(gist.content()), without(gist.names()));
        (!about.is_empty()).then_some(Self { about, names })
    }

    /// The words by which a record of the same is found; at most `most`.
    pub fn words(&self, most: usize) -> Vec<String> {
        self.names.iter().chain(self.about.difference(&self.names)).take(most).cloned().collect()
    }

    /// Reports whether a statement no longer holds: it says nothing but of the same, or of the same by name.
    pub fn ends(&self, statement: &str) -> bool {
        let gist = Gist::of(statement);
        let said = gist.content();
        let held = gist.held_by(&self.about);
        let all = held == said.len() || held >= self.about.len();
        let named = self.names.iter().any(|name| said.contains(name));
        held > 0 && (all || (named && 2 * held >= said.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_named_ends() {
        for (ending, statement) in [
            ("I no longer work at SAP.", "The user works at SAP."),
            ("I'm not vegetarian anymore.", "The user is vegetarian."),
            ("I've quit spin class.", "The user goes to spin class every Wednesday."),
            ("We don't have a dog anymore.", "The user: We have a dog called Bolt."),
            ("Das Abo bei MegaGym habe ich gekündigt.", "Ich habe ein Fitnessabo bei MegaGym."),
            ("I stopped the guitar lessons.", "The user is taking guitar lessons with Nils."),
            ("I sold the Fiat and drive a Dacia now.", "The user drives a blue Fiat."),
            ("Ich rauche nicht mehr.", "Die Person raucht."),
        ] {
            assert!(Ending::of(ending).unwrap().ends(statement), "{ending} {statement}");
        }
    }

    #[test]
    fn what_only_shares_a_word_holds() {
        for (ending, statement) in [
            ("I no longer work at night.", "The user works at SAP."),
            ("I sold the Fiat.", "The user drives a Dacia."),
            ("I stopped drinking coffee.", "The user drinks tea every morning."),
            ("We cancelled the trip to Rome.", "The user's trip to Oslo starts on Friday."),
        ] {
            assert!(!Ending::of(ending).unwrap().ends(statement), "{ending} {statement}");
        }
        assert_eq!(Ending::of("It is over."), None);
    }
}
