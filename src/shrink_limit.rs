//! Makes cases at a limit smaller, one edit at a time.
//!
//! Blocks and messages go first, in runs; then texts become shorter and plainer; then the limit. An edit is tried as it
//! is, and again with the distance of the field to the limit kept: the limit falls with the field, or where it is fixed,
//! the longest repeated text makes up for what went.

use crate::contract::{Contract, Max, Structure};
use crate::generate::field::joined;
use crate::generate::texts::text_len;
use crate::history::{Draft, Size};
use crate::limit_case::{AssembleCase, BlockDraft, FitCase, LimitCase, PartDraft, ReduceCase};
use crate::message::Role;
use crate::text::{Piece, Text};
use crate::unit::Unit;
use crate::{shrink_change, shrink_gauge};

/// All cases that are one edit smaller than `case`, the most promising first.
pub(crate) fn smaller<'a>(case: &LimitCase, contract: &'a Contract) -> Box<dyn Iterator<Item = LimitCase> + 'a> {
    match case {
        LimitCase::Reduce(case) => Box::new(edits(Fields::of(case, contract)).map(|fields| fields.case())),
        LimitCase::Fit(case) => {
            let list = Messages { case: case.clone(), contract };
            Box::new(edits(list).map(|list| LimitCase::Fit(list.case)))
        }
        LimitCase::Assemble(case) => {
            let list = Views { case: case.clone(), contract };
            Box::new(edits(list).map(|list| LimitCase::Assemble(list.case)))
        }
        LimitCase::Gauge(case) => Box::new(shrink_gauge::smaller(case).into_iter().map(LimitCase::Gauge)),
        LimitCase::Change(case) => Box::new(shrink_change::smaller(case).map(LimitCase::Change)),
    }
}

/// A list with a limit that can be edited.
trait Editable: Clone {
    type Item: Clone;
    fn items(&self) -> &[Self::Item];
    fn with(&self, items: Vec<Self::Item>) -> Self;
    fn max(&self) -> usize;
    fn with_max(&self, max: usize) -> Self;
    fn fixed(&self) -> bool;
    fn unit(&self) -> Unit;
    /// What the limit is compared with.
    fn len(&self) -> usize;
    fn text(item: &mut Self::Item) -> Option<&mut Text>;
    /// Plainer forms of an item.
    fn plainer(&self, item: &Self::Item) -> Vec<Self::Item>;
    /// A number that every edit makes smaller.
    fn cost(&self) -> usize;
}

fn edits<'a, E: Editable + 'a>(start: E) -> impl Iterator<Item = E> + 'a {
    let cost = start.cost();
    let count = start.items().len();
    let runs = std::iter::successors(Some(count), |size| Some(size / 2)).take_while(|size| *size > 0);
    let runs = runs.flat_map(move |size| (0..count).step_by(size).map(move |from| (from, (from + size).min(count))));
    let base = start.clone();
    let without = runs.map(move |(from, to)| {
        let items = base.items();
        base.with(items[..from].iter().chain(&items[to..]).cloned().collect())
    });
    let base = start.clone();
    let changed = (0..count).flat_map(move |at| {
        let mut forms = base.plainer(&base.items()[at]);
        let mut item = base.items()[at].clone();
        if let Some(text) = E::text(&mut item).map(|text| text.clone()) {
            forms.extend(shorter(&text, base.unit(), base.fixed(), at).into_iter().map(|text| {
                let mut item = item.clone();
                if let Some(old) = E::text(&mut item) {
                    *old = text;
                }
                item
            }));
        }
        let base = base.clone();
        forms.into_iter().map(move |form| {
            let mut items = base.items().to_vec();
            items[at] = form;
            base.with(items)
        })
    });
    let base = start.clone();
    let both = without.chain(changed).flat_map(move |edited| {
        let kept = keep_distance(&base, &edited);
        std::iter::once(edited).chain(kept)
    });
    let limits = [0, start.max() / 2, start.max().saturating_sub(1)];
    let limits = limits.map(|max| start.with_max(max)).into_iter().filter(move |_| !start.fixed());
    both.chain(limits).filter(move |edited| edited.cost() < cost)
}

/// `edited`, as far from its limit as `base` was.
fn keep_distance<E: Editable>(base: &E, edited: &E) -> Option<E> {
    let gone = base.len().checked_sub(edited.len()).filter(|gone| *gone > 0)?;
    if !base.fixed() {
        return Some(edited.with_max(base.max().checked_sub(gone)?));
    }
    let mut items = edited.items().to_vec();
    let longest = |text: &Text| text.pieces.iter().map(Piece::bytes).max().unwrap_or(0);
    let mut sizes = items.iter_mut().map(|item| E::text(item).map_or(0, |text| longest(text)));
    let (at, _) = sizes.by_ref().enumerate().filter(|(_, size)| *size > 64).max_by_key(|(_, size)| *size)?;
    let text = E::text(&mut items[at])?;
    let piece = (0..text.pieces.len()).max_by_key(|piece| text.pieces[*piece].bytes())?;
    let alone = Text { pieces: vec![text.pieces[piece].clone()] };
    text.pieces[piece] = Piece::Repeat(letter(at).to_string(), text_len(&alone, base.unit()) + gone);
    Some(edited.with(items))
}

fn letter(at: usize) -> char {
    char::from(b'a' + (at % 26) as u8)
}

/// Shorter and plainer forms of a text.
fn shorter(text: &Text, unit: Unit, fixed: bool, at: usize) -> Vec<Text> {
    let mut forms = Vec::new();
    let len = text_len(text, unit);
    let plain = if len <= 64 { Text::plain(letter(at).to_string().repeat(len)) } else { Text::repeat(letter(at), len) };
    forms.push(plain);
    let replace = |nth: usize, by: Option<Piece>| {
        let pieces = text.pieces.iter().enumerate();
        Text {
            pieces: pieces.filter_map(|(i, piece)| if i == nth { by.clone() } else { Some(piece.clone()) }).collect(),
        }
    };
    for (nth, piece) in text.pieces.iter().enumerate() {
        forms.push(replace(nth, None));
        match piece {
            Piece::Repeat(word, times) => {
                if !fixed {
                    forms.push(replace(nth, Some(Piece::Repeat(word.clone(), times / 2))));
                    forms.push(replace(nth, Some(Piece::Repeat(word.clone(), times - 1))));
                }
                let units = unit.len(word) * times;
                let by = match units {
                    ..=64 => Piece::Plain(letter(at).to_string().repeat(units)),
                    _ => Piece::Repeat(letter(at).to_string(), units),
                };
                forms.push(replace(nth, Some(by)));
            }
            Piece::Plain(plain) => {
                let characters: Vec<char> = plain.chars().collect();
                let count = characters.len();
                let (half, last) = (count / 2, count.saturating_sub(1));
                for part in [&characters[half..], &characters[..half], &characters[count.min(1)..], &characters[..last]]
                {
                    forms.push(replace(nth, Some(Piece::Plain(part.iter().collect()))));
                }
                for (i, character) in characters.iter().enumerate().take(if count <= 40 { count } else { 0 }) {
                    let by = (!character.is_ascii_lowercase())
                        .then(|| letter(at).to_string().repeat(unit.len_char(*character)));
                    let (front, back): (String, String) =
                        (characters[..i].iter().collect(), characters[i + 1..].iter().collect());
                    forms.extend(by.map(|by| replace(nth, Some(Piece::Plain(format!("{front}{by}{back}"))))));
                    forms.push(replace(nth, Some(Piece::Plain(format!("{front}{back}")))));
                }
            }
        }
    }
    // Pieces that came to be empty, or neighbours, become one.
    forms.iter().map(|form| Text::default().and_text(form)).collect()
}

/// What a text costs to read. Where the limit is fixed, repeating costs nothing.
fn text_cost(text: &Text, fixed: bool) -> usize {
    let plain = |text: &str| text.chars().map(|c| if c.is_ascii_lowercase() { 2 } else { 3 }).sum::<usize>();
    let cost = |piece: &Piece| match piece {
        Piece::Plain(text) => plain(text),
        Piece::Repeat(text, _) if fixed => 8 + plain(text),
        Piece::Repeat(text, times) => (8 + plain(text)).saturating_add(text.len().saturating_mul(2 * times)),
    };
    text.pieces.iter().map(cost).sum()
}

/// A field; with `text` its paragraphs are the items.
#[derive(Clone)]
struct Fields<'a> {
    blocks: Vec<BlockDraft>,
    max: usize,
    contract: &'a Contract,
}

impl<'a> Fields<'a> {
    fn of(case: &ReduceCase, contract: &'a Contract) -> Self {
        let separator = contract.field.join.separator.as_str();
        let blocks = match (contract.field.structure, case.blocks.as_slice()) {
            (Structure::Text, [one]) if !separator.is_empty() => paragraphs(&one.text, separator),
            _ => case.blocks.clone(),
        };
        Self { blocks, max: case.max, contract }
    }

    fn case(self) -> LimitCase {
        let blocks = match self.contract.field.structure {
            Structure::Text => vec![BlockDraft::new(self.joined(), false)],
            Structure::Blocks => self.blocks,
        };
        LimitCase::Reduce(ReduceCase::new(blocks, self.max))
    }

    fn joined(&self) -> Text {
        match (self.contract.field.structure, self.blocks.as_slice()) {
            (Structure::Text, blocks) => {
                let separator = self.contract.field.join.separator.as_str();
                let join =
                    |(nth, block): (usize, &BlockDraft)| (if nth > 0 { separator } else { "" }, block.text.clone());
                let parts = blocks.iter().enumerate().map(join);
                parts.fold(Text::default(), |text, (separator, part)| text.and(separator).and_text(&part))
            }
            (Structure::Blocks, blocks) => joined(&self.contract.field, blocks),
        }
    }
}

fn paragraphs(text: &Text, separator: &str) -> Vec<BlockDraft> {
    let mut blocks = vec![BlockDraft::default()];
    for piece in &text.pieces {
        let Piece::Plain(plain) = piece else {
            if let Some(last) = blocks.last_mut() {
                last.text.pieces.push(piece.clone());
            }
            continue;
        };
        for (nth, part) in plain.split(separator).enumerate() {
            if nth > 0 {
                blocks.push(BlockDraft::default());
            }
            if let Some(last) = blocks.last_mut() {
                last.text = std::mem::take(&mut last.text).and(part);
            }
        }
    }
    blocks
}

impl Editable for Fields<'_> {
    type Item = BlockDraft;

    fn items(&self) -> &[BlockDraft] {
        &self.blocks
    }
    fn with(&self, blocks: Vec<BlockDraft>) -> Self {
        Self { blocks, ..self.clone() }
    }
    fn max(&self) -> usize {
        self.max
    }
    fn with_max(&self, max: usize) -> Self {
        Self { max, ..self.clone() }
    }
    fn fixed(&self) -> bool {
        self.contract.field.max != Max::Any
    }
    fn unit(&self) -> Unit {
        self.contract.field.unit
    }
    fn len(&self) -> usize {
        text_len(&self.joined(), self.unit())
    }
    fn text(item: &mut BlockDraft) -> Option<&mut Text> {
        Some(&mut item.text)
    }
    fn plainer(&self, item: &BlockDraft) -> Vec<BlockDraft> {
        if item.required { vec![BlockDraft::new(item.text.clone(), false)] } else { Vec::new() }
    }
    fn cost(&self) -> usize {
        let block = |block: &BlockDraft| 20 + usize::from(block.required) + text_cost(&block.text, self.fixed());
        self.blocks.iter().map(block).sum::<usize>() + if self.fixed() { 0 } else { self.max }
    }
}

/// A view.
#[derive(Clone)]
struct Views<'a> {
    case: AssembleCase,
    contract: &'a Contract,
}

impl Editable for Views<'_> {
    type Item = PartDraft;

    fn items(&self) -> &[PartDraft] {
        &self.case.messages
    }
    fn with(&self, messages: Vec<PartDraft>) -> Self {
        Self { case: AssembleCase { messages, ..self.case.clone() }, contract: self.contract }
    }
    fn max(&self) -> usize {
        self.case.max
    }
    fn with_max(&self, max: usize) -> Self {
        Self { case: AssembleCase { max, ..self.case.clone() }, contract: self.contract }
    }
    fn fixed(&self) -> bool {
        self.contract.field.max != Max::Any
    }
    fn unit(&self) -> Unit {
        self.contract.field.unit
    }
    fn len(&self) -> usize {
        let system = self.case.messages.iter().filter(|part| part.role == Role::System && !part.ui_only);
        let blocks: Vec<BlockDraft> = system.map(|part| BlockDraft::new(part.text.clone(), part.pinned)).collect();
        let rules = crate::contract::FieldRules { structure: Structure::Blocks, ..self.contract.field.clone() };
        text_len(&joined(&rules, &blocks), self.unit())
    }
    fn text(item: &mut PartDraft) -> Option<&mut Text> {
        Some(&mut item.text)
    }
    fn plainer(&self, item: &PartDraft) -> Vec<PartDraft> {
        let flags: [fn(&mut PartDraft); 3] =
            [|part| part.pinned = false, |part| part.hidden = false, |part| part.ui_only = false];
        let without = |change: fn(&mut PartDraft)| {
            let mut plain = item.clone();
            change(&mut plain);
            plain
        };
        flags.into_iter().map(without).filter(|plain| plain != item).collect()
    }
    fn cost(&self) -> usize {
        let flags =
            |part: &PartDraft| [part.pinned, part.hidden, part.ui_only].into_iter().filter(|flag| *flag).count();
        let part = |part: &PartDraft| 20 + flags(part) + text_cost(&part.text, self.fixed());
        self.case.messages.iter().map(part).sum::<usize>() + if self.fixed() { 0 } else { self.case.max }
    }
}

/// Messages to trim.
#[derive(Clone)]
struct Messages<'a> {
    case: FitCase,
    contract: &'a Contract,
}

impl Editable for Messages<'_> {
    type Item = Draft;

    fn items(&self) -> &[Draft] {
        &self.case.messages
    }
    fn with(&self, messages: Vec<Draft>) -> Self {
        Self { case: FitCase { messages: paired(messages), ..self.case.clone() }, contract: self.contract }
    }
    fn max(&self) -> usize {
        self.case.max
    }
    fn with_max(&self, max: usize) -> Self {
        Self { case: FitCase { max, ..self.case.clone() }, contract: self.contract }
    }
    fn fixed(&self) -> bool {
        self.contract.fit.max != Max::Any
    }
    fn unit(&self) -> Unit {
        self.contract.fit.unit.unit()
    }
    fn len(&self) -> usize {
        self.contract.fit.size(&self.case.build(self.contract))
    }
    fn text(_: &mut Draft) -> Option<&mut Text> {
        None
    }
    fn plainer(&self, item: &Draft) -> Vec<Draft> {
        let changes: [fn(&mut Draft); 7] = [
            |draft| draft.pinned = false,
            |draft| draft.hidden = false,
            |draft| draft.ui_only = false,
            |draft| draft.reasoning = false,
            |draft| draft.wide = false,
            |draft| draft.size = Size::Small,
            |draft| draft.size = Size::Chars(0),
        ];
        let without = |change: fn(&mut Draft)| {
            let mut plain = item.clone();
            change(&mut plain);
            plain
        };
        changes.into_iter().map(without).filter(|plain| plain != item).collect()
    }
    fn cost(&self) -> usize {
        let size = |draft: &Draft| match draft.size {
            Size::Small => 2,
            Size::Large => 4,
            Size::Chars(0) => 1,
            Size::Chars(_) => 6,
        };
        let flags =
            |d: &Draft| [d.pinned, d.hidden, d.ui_only, d.reasoning, d.wide].into_iter().filter(|flag| *flag).count();
        let limit = if self.fixed() { 0 } else { self.case.max };
        self.case.messages.iter().map(|d| 2_000 + 10 * (size(d) + flags(d)) + d.calls.len()).sum::<usize>() + limit
    }
}

/// The messages without results whose call is gone, and without calls whose results are gone.
fn paired(messages: Vec<Draft>) -> Vec<Draft> {
    let mut called = Vec::new();
    let mut kept: Vec<Draft> = Vec::with_capacity(messages.len());
    for draft in messages {
        called.extend(draft.calls.iter().copied());
        if draft.answers.is_none_or(|call| called.contains(&call)) {
            kept.push(draft);
        }
    }
    let answered: Vec<u32> = kept.iter().filter_map(|draft| draft.answers).collect();
    for draft in &mut kept {
        draft.calls.retain(|call| answered.contains(call));
    }
    kept
}
