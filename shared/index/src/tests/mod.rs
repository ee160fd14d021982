//! Tests of vector indices, through their ports.

mod common;
mod damage;
mod disk;
mod kill;
mod model;
mod switching;
