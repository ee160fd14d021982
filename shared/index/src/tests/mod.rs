//! Claims about indices of vectors, through their ports.

mod common;
mod damage;
mod disk;
mod kill;
mod model;
mod switching;
