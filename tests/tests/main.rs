//! Tests of Kimberly as a whole, most of them through the real processes. One program, since each would link all of
//! Kimberly; `programs.py` runs each module in its own process.

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
