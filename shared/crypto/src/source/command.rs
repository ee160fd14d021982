//! Rings printed by a command: of a key service, a hardware token, a password manager.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use zeroize::Zeroizing;

use crate::folders::read_open;
use crate::{KeyError, MAX_RING_BYTES, RingName};

/// How long a command may run.
pub(super) const LIMIT: Duration = Duration::from_secs(10);
/// Poll interval for the exit of a command that closed its output.
const PAUSE: Duration = Duration::from_millis(5);

/// Runs `program` with the ring's name as its only argument and returns its output. Its stderr is inherited, for the
/// operator.
pub(super) fn run(program: &Path, ring: RingName, limit: Duration) -> Result<Zeroizing<Vec<u8>>, KeyError> {
    let refused =
        |problem: String| KeyError::Source(format!("keys.{ring}: the command {} {problem}", program.display()));
    let mut child = Command::new(program)
        .arg(ring.as_str())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        // A process group of its own, so that its children end with it.
        .process_group(0)
        .spawn()
        .map_err(|error| refused(format!("could not be started: {error}")))?;
    let until = Instant::now() + limit;
    let answer = read_all(&mut child, limit);
    let printed = match answer {
        Ok(printed) if printed.len() <= MAX_RING_BYTES => printed,
        other => {
            stop(&mut child);
            return Err(refused(match other {
                Ok(_) => format!("printed more than {MAX_RING_BYTES} bytes, which no ring has"),
                Err(Some(error)) => format!("could not be read: {error}"),
                Err(None) => too_slow(limit),
            }));
        }
    };
    match ended(&mut child, until) {
        Ok(Some(status)) if status.success() => Ok(printed),
        Ok(Some(status)) => Err(refused(format!("failed ({status}); its output is above this line"))),
        Ok(None) => {
            stop(&mut child);
            Err(refused(too_slow(limit)))
        }
        Err(error) => Err(refused(format!("could not be waited for: {error}"))),
    }
}

fn too_slow(limit: Duration) -> String {
    format!("did not end within {} s", limit.as_secs_f32())
}

/// The output of the command until it closes it; `Err(None)` on timeout. A thread reads, since pipes have no read
/// timeout; it ends with the command.
fn read_all(child: &mut Child, limit: Duration) -> Result<Zeroizing<Vec<u8>>, Option<io::Error>> {
    let Some(output) = child.stdout.take() else { return Err(None) };
    let (send, receive) = mpsc::channel();
    let read = move || {
        // After a timeout the receiver is gone, and the bytes are wiped here.
        let _ = send.send(read_open(output, MAX_RING_BYTES));
    };
    thread::Builder::new().name("key-command".to_owned()).spawn(read)?;
    match receive.recv_timeout(limit) {
        Ok(read) => read.map_err(Some),
        Err(_) => Err(None),
    }
}

fn ended(child: &mut Child, until: Instant) -> io::Result<Option<ExitStatus>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= until {
            return Ok(None);
        }
        thread::sleep(PAUSE);
    }
}

/// Kills the command and its children. The child is not reaped yet, so its pid cannot have been reused.
fn stop(child: &mut Child) {
    // An error means that it has exited.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(test)]
mod tests;
