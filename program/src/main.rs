//! `kimberly`: one program with roles. `kimberly api`, `kimberly worker` and `kimberly embedder` are the processes of the
//! service; with any other argument it is the command line. Each process wires its parts in its own crate.

mod role;

use std::process::ExitCode;

use role::Role;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let (role, arguments) = Role::of(std::env::args_os());
    match role {
        Some(Role::Api) => kimberly_api::run(arguments),
        Some(Role::Worker) => kimberly_worker::run(arguments),
        Some(Role::Embedder) => kimberly_embedder::run(arguments),
        None => kimberly_cli::run(),
    }
}
