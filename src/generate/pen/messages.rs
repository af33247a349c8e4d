//! What is said: enough to compact, results to trim, calls that stay open.

use super::Pen;
use crate::contract::{Drive, Feature};
use crate::history::{Draft, Name, Size};
use crate::message::Role;

impl Pen<'_> {
    fn tail(&self) -> usize {
        self.contract.attempt.keep_last.max(1)
    }

    /// Small messages that make up enough to summarise, whatever tail is declared; and whether they are large ones.
    fn enough(&self) -> (usize, Size) {
        let rules = &self.contract.attempt;
        let count = |size: usize| {
            let needed = rules.eligible_min.max(1).max(self.contract.at_most(rules.eligible_min_size).div_ceil(size));
            let kept =
                if rules.keep_size < 1.0 { 0 } else { self.contract.at_most(rules.keep_size as usize).div_ceil(size) };
            let all = needed + self.tail().max(kept) + 2;
            if rules.keep_size < 1.0 { ((all as f64) / (1.0 - rules.keep_size)).ceil() as usize } else { all }
        };
        let small = count(self.contract.sizes.small);
        if small <= 40 { (small, Size::Small) } else { (count(self.contract.sizes.large), Size::Large) }
    }

    /// Enough to summarise, and too large: a person and an assistant in turn, the assistant last.
    pub(crate) fn matter(&mut self, name: Name) -> &mut Self {
        let mut drafts = self.too_much();
        if !drafts.is_empty() {
            drafts.insert(0, self.draft(Role::User));
        }
        self.append(name, drafts).talk(name)
    }

    /// Enough to summarise, were it too large.
    pub(crate) fn talk(&mut self, name: Name) -> &mut Self {
        let (count, size) = self.enough();
        let mut drafts = Vec::with_capacity(count + 2);
        for _ in 0..count.div_ceil(2) + 1 {
            drafts.push(Draft { size, ..self.draft(Role::User) });
            drafts.push(Draft { size, ..self.draft(Role::Assistant) });
        }
        self.append(name, drafts).turn(name)
    }

    /// One message less than enough to summarise, with one more for the tail.
    pub(crate) fn nearly(&mut self, name: Name) -> &mut Self {
        let rules = &self.contract.attempt;
        let count = rules.eligible_min.max(1) - 1 + rules.keep_last.max(1);
        let drafts = (0..count).map(|_| self.draft(Role::Assistant)).collect();
        self.append(name, drafts).turn(name)
    }

    /// Just enough to summarise: one message less would be too few, or too little.
    pub(crate) fn barely(&mut self, name: Name) -> &mut Self {
        let rules = &self.contract.attempt;
        let least = rules.eligible_min.max(1);
        let size = Size::Chars(self.contract.at_most(rules.eligible_min_size).div_ceil(least).clamp(40, 4_000_000));
        let tail = self.tail() - usize::from(self.contract.drive == Drive::Turn);
        let drafts = (0..least + tail).map(|_| Draft { size, ..self.draft(Role::Assistant) }).collect();
        let filler = self.too_much();
        self.append(name, filler).append(name, drafts).turn(name)
    }

    /// Enough to summarise in one running turn: a task, and tool steps for it.
    pub(crate) fn task(&mut self, name: Name) -> &mut Self {
        let (count, size) = self.enough();
        let mut drafts = vec![self.draft(Role::User)];
        drafts.extend(self.too_much());
        while drafts.len() < count + 3 {
            drafts.extend(self.result(size));
        }
        self.append(name, drafts).turn(name)
    }

    /// Enough to summarise, all of it the assistant's.
    pub(crate) fn monologue(&mut self, name: Name) -> &mut Self {
        let (count, size) = self.enough();
        let filler = self.too_much().into_iter().map(|draft| Draft { role: Role::Assistant, ..draft }).collect();
        let drafts = (0..count + 2).map(|_| Draft { size, ..self.draft(Role::Assistant) }).collect();
        self.append(name, filler).append(name, drafts)
    }

    /// `count` small tool results, and enough of them to summarise.
    pub(crate) fn results(&mut self, name: Name, count: usize) -> &mut Self {
        let (least, size) = self.enough();
        let mut drafts = self.too_much();
        for _ in 0..count.max(least.div_ceil(2)) {
            drafts.extend(self.result(size));
        }
        self.append(name, drafts).turn(name)
    }

    /// A user message at the end where the candidate is stepped only after one.
    pub(crate) fn turn(&mut self, name: Name) -> &mut Self {
        if self.contract.drive == Drive::Turn {
            let user = self.draft(Role::User);
            self.append(name, vec![user]);
        }
        self
    }

    /// `count` visible messages, a person and an assistant in turn; where the candidate is stepped only after a person's,
    /// the last is one.
    pub(crate) fn grow(&mut self, name: Name, count: u64) -> &mut Self {
        let odd = u64::from(self.contract.drive == Drive::Turn && count.is_multiple_of(2));
        let roles = |at: u64| if (at + odd).is_multiple_of(2) { Role::User } else { Role::Assistant };
        let drafts = (0..count).map(|at| self.draft(roles(at))).collect();
        self.append(name, drafts)
    }

    /// `count` visible messages of every kind that the contract has; the last are as in [`Pen::grow`].
    pub(crate) fn grow_mixed(&mut self, name: Name, count: u64) -> &mut Self {
        let has = |feature| self.contract.has(feature);
        let (calls, parallel, interim) = (has(Feature::Calls), has(Feature::ParallelCalls), has(Feature::Interim));
        let (hidden, pinned, reasoning) = (has(Feature::Hidden), has(Feature::Pinned), has(Feature::Reasoning));
        let mut left = count;
        if pinned && left > 1 {
            let draft = Draft { pinned, ..self.draft(Role::User) };
            self.append(name, vec![draft]);
            left -= 1;
        }
        if (hidden || reasoning) && left > 1 {
            let draft = Draft { hidden, reasoning, ..self.draft(Role::Assistant) };
            self.append(name, vec![draft]);
            left -= 1;
        }
        if parallel && left > 3 {
            let [one, other] = self.open_two(name);
            self.close(name, one).close(name, other);
            left -= 3;
        }
        if interim && left > 3 {
            let call = self.open(name);
            self.interim(name, call).close(name, call);
            left -= 3;
        }
        if calls && left > 2 {
            let group = self.result(Size::Small);
            self.append(name, group);
            left -= 2;
        }
        self.grow(name, left)
    }

    /// `count` messages for the person only.
    pub(crate) fn ui_only(&mut self, name: Name, count: u64, size: Size) -> &mut Self {
        if !self.contract.has(Feature::UiOnly) {
            return self;
        }
        // What only the person sees may be said by anyone.
        let roles = [Role::System, Role::User, Role::Assistant];
        let drafts = (0..count).map(|_| {
            let draft = self.draft(Role::System);
            // Whatever else is said of it, the model does not see it.
            let also = |feature, every| self.contract.has(feature) && draft.key.is_multiple_of(every);
            let (hidden, pinned) = (also(Feature::Hidden, 5), also(Feature::Pinned, 7));
            Draft { ui_only: true, hidden, pinned, size, role: roles[draft.key as usize % roles.len()], ..draft }
        });
        let drafts = drafts.collect();
        self.append(name, drafts)
    }

    /// A tool result, after its call where there are calls.
    pub(crate) fn result(&mut self, size: Size) -> Vec<Draft> {
        if !self.contract.has(Feature::Calls) {
            return vec![Draft { size, ..self.draft(Role::Tool) }];
        }
        self.call += 1;
        let call = self.call;
        let made = Draft { calls: vec![call], ..self.draft(Role::Assistant) };
        vec![made, Draft { size, answers: Some(call), ..self.draft(Role::Tool) }]
    }

    /// A call that stays open; its number.
    pub(crate) fn open(&mut self, name: Name) -> u32 {
        self.call += 1;
        let draft = Draft { calls: vec![self.call], ..self.draft(Role::Assistant) };
        self.append(name, vec![draft]);
        self.call
    }

    /// Two calls in one message, both open.
    pub(crate) fn open_two(&mut self, name: Name) -> [u32; 2] {
        self.open_two_with(name, false)
    }

    /// The same, perhaps with reasoning.
    pub(crate) fn open_two_with(&mut self, name: Name, reasoning: bool) -> [u32; 2] {
        let calls = [self.call + 1, self.call + 2];
        self.call += 2;
        let draft = Draft { calls: calls.to_vec(), reasoning, ..self.draft(Role::Assistant) };
        self.append(name, vec![draft]);
        calls
    }

    /// A result that a final one will follow.
    pub(crate) fn interim(&mut self, name: Name, call: u32) -> &mut Self {
        let draft = Draft { answers: Some(call), interim: true, ..self.draft(Role::Tool) };
        self.append(name, vec![draft])
    }

    /// The result of an open call.
    pub(crate) fn close(&mut self, name: Name, call: u32) -> &mut Self {
        let draft = Draft { answers: Some(call), ..self.draft(Role::Tool) };
        self.append(name, vec![draft])
    }

    /// The length of a result that is surely long enough to be trimmed.
    pub(crate) fn trimmable_size(&self) -> Size {
        let least = self.contract.trim.min_chars;
        if self.contract.sizes.large > least { Size::Large } else { Size::Chars(least + 200) }
    }

    /// The length of each of two results that together save enough for a trim, beside `rest` characters.
    fn saving_size(&self, rest: usize) -> Size {
        let rules = &self.contract.trim;
        let each = if rules.min_saving < 1.0 {
            (rules.min_chars as f64 + rules.min_saving * rest as f64) / (1.0 - rules.min_saving)
        } else {
            rules.min_chars as f64 + self.contract.at_most(rules.min_saving.ceil() as usize) as f64 / 2.0
        };
        match self.trimmable_size() {
            Size::Large if each < self.contract.sizes.large as f64 => Size::Large,
            Size::Chars(chars) if each < chars as f64 => Size::Chars(chars),
            _ => Size::Chars(each as usize + 1),
        }
    }

    /// Results that are surely trimmable, and what a declared tail protects.
    pub(crate) fn trimmable(&mut self, name: Name) -> &mut Self {
        self.trimmables(name, false)
    }

    /// The same; where the candidate measures for itself, results whose trimming alone is enough, fine ones or a few.
    pub(crate) fn trimmables(&mut self, name: Name, fine: bool) -> &mut Self {
        let rules = &self.contract.trim;
        let (keep_last, keep_size) = (rules.keep_last, self.contract.at_most(rules.keep_size));
        let kept = keep_size.div_ceil(self.contract.sizes.large);
        let (count, size) = self.enough();
        let pairs = keep_last.max(count).div_ceil(2);
        // What else stands in the view, in characters.
        let small = if size == Size::Large { self.contract.sizes.large } else { self.contract.sizes.small };
        let rest = kept * self.contract.sizes.large + (2 * pairs + 3) * small;
        let calls = 2 * self.contract.sizes.small;
        let (result, count) = match self.enough_to_trim(fine, rest + calls) {
            Some((chars, count)) => (Size::Chars(chars.min(4_000_000)), count),
            None => (self.saving_size(rest), 2),
        };
        let mut drafts = vec![self.draft(Role::User)];
        for _ in 0..count {
            drafts.extend(self.result(result));
        }
        for _ in 0..kept {
            drafts.extend(self.result(Size::Large));
        }
        for _ in 0..pairs {
            drafts.push(Draft { size, ..self.draft(Role::Assistant) });
            drafts.push(Draft { size, ..self.draft(Role::User) });
        }
        drafts.push(self.draft(Role::Assistant));
        self.append(name, drafts).turn(name)
    }

    /// A result that is surely trimmable and came late: no more growth than it takes.
    pub(crate) fn late_result(&mut self, name: Name) -> &mut Self {
        let size = self.trimmable_size();
        let mut drafts = self.result(size);
        for at in 0..self.contract.trim.keep_last {
            drafts.push(self.draft(if at % 2 == 0 { Role::Assistant } else { Role::User }));
        }
        self.append(name, drafts).turn(name)
    }
}
