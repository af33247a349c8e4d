//! A bot that answers when a thread has new comments. Its answers are comments of the same thread.

use plimsoll::{ChangeBy, ChangeEvent, ChangeGuard, Error, GuardName, GuardedAttempt, GuardedOutcome};

/// What the bot takes for news.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Watches {
    /// Comments of others.
    Others,
    /// The number of comments: the twin, which answers itself.
    Number,
}

struct Comment {
    author: &'static str,
    reactions: Vec<&'static str>,
}

/// The bot and its thread.
pub(crate) struct Bot {
    watches: Watches,
    thread: Vec<Comment>,
    /// How many comments there were when it last answered, and how many more it takes.
    answered: Option<(usize, usize)>,
}

const BOT: &str = "bot";
const SOMEBODY: &str = "somebody";

impl Bot {
    pub(crate) fn new(watches: Watches) -> Self {
        Self { watches, thread: vec![Comment { author: SOMEBODY, reactions: Vec::new() }], answered: None }
    }

    fn happen(&mut self, event: ChangeEvent) {
        let who = if event.by == ChangeBy::Itself { BOT } else { SOMEBODY };
        if event.relevant {
            self.thread.push(Comment { author: who, reactions: Vec::new() });
        } else if let Some(last) = self.thread.last_mut() {
            last.reactions.push(who);
        }
    }

    fn news(&self, answered: usize) -> usize {
        let new = &self.thread[answered..];
        match self.watches {
            Watches::Others => new.iter().filter(|comment| comment.author != BOT).count(),
            Watches::Number => new.len(),
        }
    }
}

impl ChangeGuard for Bot {
    fn change(&mut self, _: GuardName, event: ChangeEvent) -> Result<(), Error> {
        self.happen(event);
        Ok(())
    }

    fn attempt(&mut self, _: GuardName, attempt: &GuardedAttempt, _: f64) -> Result<bool, Error> {
        let answers = self.answered.is_none_or(|(answered, needed)| self.news(answered) >= needed);
        if answers {
            self.answered = Some((self.thread.len(), if attempt.outcome == GuardedOutcome::Ok { 1 } else { 2 }));
            attempt.during.iter().for_each(|event| self.happen(*event));
        }
        Ok(answers)
    }
}
