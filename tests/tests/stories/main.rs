//! Stories of users and operators, told through the real processes.

mod meditation;
mod paging;
mod remembering;
mod repeating;
mod sessions;
mod settings;
mod surroundings;
mod wire;
