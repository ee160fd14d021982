//! Kimberly as a whole: everything that is about more than one crate, most of it through the real processes. One program, as
//! each would be linked with all of Kimberly; `programs.py` runs each module in a process of its own.

mod access;
mod archive;
mod attachments;
mod bounds;
mod cascade;
mod consents;
mod damage;
mod embedding;
mod encryption;
mod erasure;
mod faults;
mod fuzz;
mod kill9;
mod meaning;
mod moving;
mod network;
mod recall_quality;
mod rotation;
mod simulation;
mod stories;
mod streams;
mod tidy;
mod vectors;
mod versions;
