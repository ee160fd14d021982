//! Reads what people write. Pure: texts in, plain values out; no I/O, no clock, none of our other crates.

pub mod judge;
