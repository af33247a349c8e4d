//! What differs between operating systems: process groups, waiting for a pipe, and finding what a child has started.

#[cfg(unix)]
pub(super) use unix::*;

#[cfg(not(unix))]
pub(super) use other::*;

#[cfg(target_os = "linux")]
pub(super) use linux::*;

#[cfg(not(target_os = "linux"))]
pub(super) use no_strays::*;

/// The variable by whose value a process is known to come from a child of this harness.
pub(super) const MARK: &str = "PLIMSOLL_CHILD";

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;

    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

    /// Whoever starts processes as fast as they are killed gets so many rounds, and no more.
    const ROUNDS: usize = 8;

    /// Kills what has `mark` in its environment and has left the process group: a daemon, say.
    pub(in super::super) fn kill_strays(mark: &str) {
        for _ in 0..ROUNDS {
            if !strays(mark) {
                break;
            }
        }
    }

    fn strays(mark: &str) -> bool {
        let Ok(entries) = fs::read_dir("/proc") else { return false };
        let mut found = false;
        for entry in entries.flatten() {
            let pid = entry.file_name().to_str().and_then(|name| name.parse().ok()).and_then(Pid::from_raw);
            // Opened before it is looked at: the number cannot become another process's meanwhile.
            let Some(Ok(process)) = pid.map(|pid| pidfd_open(pid, PidfdFlags::empty())) else { continue };
            // The environment of somebody else's process cannot be read, and one that has ended has none.
            let Ok(environment) = fs::read(entry.path().join("environ")) else { continue };
            if environment.windows(mark.len()).any(|part| part == mark.as_bytes()) {
                // An error says that it has ended.
                found |= pidfd_send_signal(&process, Signal::KILL).is_ok();
            }
        }
        found
    }
}

#[cfg(not(target_os = "linux"))]
mod no_strays {
    /// What has left the process group cannot be found here.
    pub(in super::super) fn kill_strays(_: &str) {}
}

#[cfg(unix)]
mod unix {
    use std::os::fd::AsFd;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

    /// An end of a pipe that can be waited for.
    pub(in super::super) trait Pipe: AsFd {}
    impl<T: AsFd> Pipe for T {}

    /// How long a waiting thread takes to notice that it is to stop.
    const TICK: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };

    /// Makes the child the leader of a process group of its own.
    pub(in super::super) fn lead_group(command: &mut Command) {
        command.process_group(0);
    }

    /// Whether the child has ended. It is not reaped, so that its group keeps its number.
    pub(in super::super) fn has_ended(child: &mut Child) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        pid(child).is_none_or(|pid| !matches!(waitid(WaitId::Pid(pid), options), Ok(None)))
    }

    /// Kills the child's whole group. The child must not have been reaped.
    pub(in super::super) fn kill_group(child: &mut Child) {
        // An error says that no process is left.
        let _ = pid(child).map(|pid| kill_process_group(pid, Signal::KILL));
    }

    /// Kills the group of this leader, which must not have been reaped.
    #[cfg(feature = "cli")]
    pub(in super::super) fn kill_group_of(leader: u32) {
        // An error says that no process is left.
        let _ = i32::try_from(leader).ok().and_then(Pid::from_raw).map(|pid| kill_process_group(pid, Signal::KILL));
    }

    /// Waits until there is something to read, or the end. False: `stop` was set.
    pub(in super::super) fn readable(pipe: &impl Pipe, stop: &AtomicBool) -> bool {
        while !stop.load(Ordering::Relaxed) {
            match poll(&mut [PollFd::new(pipe, PollFlags::IN)], Some(&TICK)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => {}
                // An error shows again when the pipe is used.
                Ok(_) | Err(_) => return true,
            }
        }
        false
    }

    /// From now on reading and writing this end of a pipe fail where they would block. The other end is the child's.
    pub(in super::super) fn never_blocks(pipe: &impl Pipe) -> std::io::Result<()> {
        Ok(rustix::io::ioctl_fionbio(pipe, true)?)
    }

    /// Waits until `from` has something to be read, or `to` takes something, but not longer than `at_most`.
    pub(in super::super) fn wait_for_either(from: &impl Pipe, to: Option<&impl Pipe>, at_most: Duration) {
        let from = PollFd::new(from, PollFlags::IN);
        let mut either = [from.clone(), from];
        let count = if let Some(to) = to {
            either[1] = PollFd::new(to, PollFlags::OUT);
            2
        } else {
            1
        };
        // An error shows again when the pipe is used, and an interruption is no reason to wait longer.
        let _ = poll(&mut either[..count], Timespec::try_from(at_most).ok().as_ref());
    }

    fn pid(child: &Child) -> Option<Pid> {
        i32::try_from(child.id()).ok().and_then(Pid::from_raw)
    }
}

#[cfg(not(unix))]
mod other {
    use std::process::{Child, Command};
    use std::sync::atomic::{AtomicBool, Ordering};

    /// An end of a pipe.
    pub(in super::super) trait Pipe {}
    impl<T> Pipe for T {}

    /// There are no process groups here.
    pub(in super::super) fn lead_group(_: &mut Command) {}

    /// Whether the child has ended.
    pub(in super::super) fn has_ended(child: &mut Child) -> bool {
        !matches!(child.try_wait(), Ok(None))
    }

    /// Kills the child alone.
    pub(in super::super) fn kill_group(child: &mut Child) {
        // An error says that it has ended.
        let _ = child.kill();
    }

    /// Without groups a child ends when its input does.
    #[cfg(feature = "cli")]
    pub(in super::super) fn kill_group_of(_: u32) {}

    /// False: `stop` was set. The read that follows can block until the child ends.
    pub(in super::super) fn readable(_: &impl Pipe, stop: &AtomicBool) -> bool {
        !stop.load(Ordering::Relaxed)
    }
}
