//! What differs between operating systems: process groups, and waiting for a pipe.

#[cfg(unix)]
pub(super) use unix::*;

#[cfg(not(unix))]
pub(super) use other::*;

#[cfg(unix)]
mod unix {
    use std::os::fd::{AsFd, BorrowedFd};
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command};
    use std::sync::atomic::{AtomicBool, Ordering};

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

    /// An end of a pipe that can be waited for.
    pub(in super::super) trait Pipe: AsFd {}
    impl<T: AsFd> Pipe for T {}

    /// So many bytes never block once a pipe is ready to take some.
    pub(in super::super) const WRITE_MAX: usize = if cfg!(target_os = "linux") { 4096 } else { 512 };

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

    /// Waits until there is something to read, or the end. False: `stop` was set.
    pub(in super::super) fn readable(pipe: &impl Pipe, stop: &AtomicBool) -> bool {
        wait(pipe.as_fd(), PollFlags::IN, stop)
    }

    /// Waits until [`WRITE_MAX`] bytes can be written, or nobody reads. False: `stop` was set.
    pub(in super::super) fn writable(pipe: &impl Pipe, stop: &AtomicBool) -> bool {
        wait(pipe.as_fd(), PollFlags::OUT, stop)
    }

    fn wait(fd: BorrowedFd<'_>, flags: PollFlags, stop: &AtomicBool) -> bool {
        while !stop.load(Ordering::Relaxed) {
            match poll(&mut [PollFd::from_borrowed_fd(fd, flags)], Some(&TICK)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => {}
                // An error shows again when the pipe is used.
                Ok(_) | Err(_) => return true,
            }
        }
        false
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

    /// The most that is written at once.
    pub(in super::super) const WRITE_MAX: usize = 4096;

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

    /// False: `stop` was set. The read that follows can block until the child ends.
    pub(in super::super) fn readable(_: &impl Pipe, stop: &AtomicBool) -> bool {
        !stop.load(Ordering::Relaxed)
    }

    /// False: `stop` was set. The write that follows can block until the child ends.
    pub(in super::super) fn writable(_: &impl Pipe, stop: &AtomicBool) -> bool {
        !stop.load(Ordering::Relaxed)
    }
}
