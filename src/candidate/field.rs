//! The seam at a limit: reducing a field, trimming messages, assembling a request.

use std::fmt;

use super::{Conversation, Error};
use crate::field::{Block, Infeasible, Reduced, Request};
use crate::message::Message;
use crate::unit::Limit;

/// Something that reduces a field to a limit.
///
/// It gets the blocks of the field and the limit, in the unit that the contract's `field.unit` declares. With
/// `field.structure` `text` there is one block, which is the whole field, already joined. A limit can be 0, and smaller
/// than the marker; a block can be empty.
///
/// A closure is one:
///
/// ```
/// use plimsoll::{Block, Infeasible, Limit, Reduced, Reducer, Unit};
///
/// let reducer = |blocks: &[Block], limit: Limit| -> Result<Reduced, Infeasible> {
///     let text: Vec<&str> = blocks.iter().map(|block| block.text.as_str()).collect();
///     let text = text.join("\n\n");
///     if limit.fits(&text) { Ok(Reduced::whole(text)) } else { Err(Infeasible::new()) }
/// };
/// let blocks = [Block::removable("notes"), Block::required("rules")];
/// assert_eq!(reducer.reduce(&blocks, Limit::new(12, Unit::CodePoints)).unwrap().text, "notes\n\nrules");
/// ```
pub trait Reducer {
    /// The field within the limit, and a notice if something was cut.
    ///
    /// # Errors
    ///
    /// The required blocks alone do not fit.
    fn reduce(&self, blocks: &[Block], limit: Limit) -> Result<Reduced, Infeasible>;

    /// How the harness calls it. Provided: [`Reducer::reduce`]. A candidate outside this process overrides it, so that a
    /// crash is not taken for an answer.
    ///
    /// # Errors
    ///
    /// There was no answer.
    fn try_reduce(&self, blocks: &[Block], limit: Limit) -> Result<Result<Reduced, Infeasible>, Error> {
        Ok(self.reduce(blocks, limit))
    }
}

/// Something that trims messages to a limit.
///
/// `limit.max` counts what the contract's `fit.unit` says, with `fit.counter` and `fit.per_message`. `limit.unit` is the
/// unit of text behind it; for `messages` and `tokens`, where there is none, it is code points. Messages that are
/// `ui_only` do not count, and may stay or go.
///
/// A closure is one. The last three messages, say:
///
/// ```
/// use plimsoll::{Limit, Message, Role, Trimmer, Unit};
///
/// let last = |messages: Vec<Message>, limit: Limit| -> Vec<Message> {
///     messages[messages.len().saturating_sub(limit.max)..].to_vec()
/// };
/// let messages = (0..5).map(|n| Message::new(format!("m{n}"), Role::User, "hello")).collect();
/// assert_eq!(last.fit(messages, Limit::new(3, Unit::CodePoints)).unwrap().len(), 3);
/// ```
///
/// (It loses the system message and tears calls from their results, as `plimsoll::check_trimmer` will say.) A closure
/// that can also say *infeasible* returns `Option<Vec<Message>>` or `Result<Vec<Message>, Infeasible>`.
pub trait Trimmer {
    /// The messages that stay, in their order, within the limit.
    ///
    /// # Errors
    ///
    /// What must stay does not fit.
    fn fit(&self, messages: Vec<Message>, limit: Limit) -> Result<Vec<Message>, Infeasible>;

    /// How the harness calls it. Provided: [`Trimmer::fit`]. A candidate outside this process overrides it, so that a
    /// crash is not taken for an answer.
    ///
    /// # Errors
    ///
    /// There was no answer.
    fn try_fit(&self, messages: Vec<Message>, limit: Limit) -> Result<Result<Vec<Message>, Infeasible>, Error> {
        Ok(self.fit(messages, limit))
    }
}

/// Something that assembles the request from a view.
///
/// The field, `instructions`, is made from the visible system messages in order, joined as `field.join` declares, within
/// the limit; pinned ones are required. All other visible messages are sent as items.
///
/// ```
/// use plimsoll::{Assembler, Limit, Message, Request, Role, Unit};
///
/// let assembler = |view: &[Message], _: Limit| -> Request {
///     let visible = || view.iter().filter(|message| message.is_visible());
///     let system: Vec<_> = visible().filter(|m| m.role == Role::System).map(|m| m.content.as_str()).collect();
///     Request::new(Some(system.join("\n\n")), visible().map(|m| m.id.clone()).collect())
/// };
/// let view = [Message::new("m1", Role::System, "be brief"), Message::new("m2", Role::User, "hello")];
/// let request = assembler.assemble(&view, Limit::new(100, Unit::CodePoints)).unwrap();
/// assert_eq!(request.instructions.as_deref(), Some("be brief"));
/// ```
pub trait Assembler {
    /// The request that would be sent.
    ///
    /// # Errors
    ///
    /// The required messages alone do not fit the field.
    fn assemble(&self, view: &[Message], limit: Limit) -> Result<Request, Infeasible>;

    /// How the harness calls it: on the path of that name, one of the contract's `request.paths`, or on `""` where none
    /// is declared. Provided: [`Assembler::assemble`] on the view. Log and view must stay as they are.
    ///
    /// # Errors
    ///
    /// There was no answer.
    fn try_assemble(
        &self,
        path: &str,
        conversation: &mut Conversation,
        limit: Limit,
    ) -> Result<Result<Request, Infeasible>, Error> {
        let _ = path;
        Ok(self.assemble(conversation.view(), limit))
    }
}

/// A candidate for one of the three.
#[non_exhaustive]
pub enum LimitCandidate {
    /// It reduces a field.
    Reducer(Box<dyn Reducer>),
    /// It trims messages.
    Trimmer(Box<dyn Trimmer>),
    /// It assembles the request.
    Assembler(Box<dyn Assembler>),
}

impl fmt::Debug for LimitCandidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reducer(_) => "Reducer",
            Self::Trimmer(_) => "Trimmer",
            Self::Assembler(_) => "Assembler",
        })
    }
}

/// What a closure may return where a `T` is asked for: a `T`, or a `Result` or an `Option` of it; for a [`Reduced`] also a
/// `String`, which says that there is no notice.
pub trait Offer<T> {
    /// The answer.
    ///
    /// # Errors
    ///
    /// The answer is *infeasible*.
    fn offer(self) -> Result<T, Infeasible>;
}

impl<T> Offer<T> for T {
    fn offer(self) -> Result<T, Infeasible> {
        Ok(self)
    }
}

impl<T> Offer<T> for Result<T, Infeasible> {
    fn offer(self) -> Result<T, Infeasible> {
        self
    }
}

impl<T> Offer<T> for Option<T> {
    fn offer(self) -> Result<T, Infeasible> {
        self.ok_or(Infeasible)
    }
}

impl Offer<Reduced> for String {
    fn offer(self) -> Result<Reduced, Infeasible> {
        Ok(Reduced::whole(self))
    }
}

impl Offer<Reduced> for Result<String, Infeasible> {
    fn offer(self) -> Result<Reduced, Infeasible> {
        self.map(Reduced::whole)
    }
}

impl<F, A> Reducer for F
where
    F: Fn(&[Block], Limit) -> A,
    A: Offer<Reduced>,
{
    fn reduce(&self, blocks: &[Block], limit: Limit) -> Result<Reduced, Infeasible> {
        self(blocks, limit).offer()
    }
}

impl<F, A> Trimmer for F
where
    F: Fn(Vec<Message>, Limit) -> A,
    A: Offer<Vec<Message>>,
{
    fn fit(&self, messages: Vec<Message>, limit: Limit) -> Result<Vec<Message>, Infeasible> {
        self(messages, limit).offer()
    }
}

impl<F, A> Assembler for F
where
    F: Fn(&[Message], Limit) -> A,
    A: Offer<Request>,
{
    fn assemble(&self, view: &[Message], limit: Limit) -> Result<Request, Infeasible> {
        self(view, limit).offer()
    }
}

/// A reducer made from a function of a text and a limit, the commonest thing that people have. See [`text_reducer`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct TextReducer<F> {
    function: F,
}

/// Makes a reducer from a function of a text and a limit.
///
/// Its contract declares `field.structure` `text`, and `field.notice` `marker` or `none`, since a text alone can say no
/// more. Given several blocks, it gets those that are not empty, joined by blank lines.
///
/// ```
/// use plimsoll::{Block, Limit, Reducer, Unit, text_reducer};
///
/// fn first(text: &str, max: usize) -> String {
///     text.chars().take(max).collect()
/// }
/// let reducer = text_reducer(first);
/// let reduced = reducer.reduce(&[Block::removable("abcdef")], Limit::new(4, Unit::CodePoints));
/// assert_eq!(reduced.unwrap().text, "abcd");
/// ```
pub fn text_reducer<F: Fn(&str, usize) -> String>(function: F) -> TextReducer<F> {
    TextReducer { function }
}

impl<F: Fn(&str, usize) -> String> Reducer for TextReducer<F> {
    fn reduce(&self, blocks: &[Block], limit: Limit) -> Result<Reduced, Infeasible> {
        let text = match blocks {
            [one] => return Ok(Reduced::whole((self.function)(&one.text, limit.max))),
            many => many.iter().map(|block| block.text.as_str()).filter(|text| !text.is_empty()),
        };
        Ok(Reduced::whole((self.function)(&text.collect::<Vec<_>>().join("\n\n"), limit.max)))
    }
}
