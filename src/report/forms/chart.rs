//! The history of a failure as a picture: what is visible, when an attempt was made, when a gate was closed.

use std::fmt::{self, Write};

use crate::drawing::Drawing;
use crate::drawing::Row;
use crate::report::html::plain;

/// Longer histories are drawn from here on: what is wrong is at their end.
const MOST: usize = 120;
/// Pixels of the picture: of few events together and of one of many, of the area for what is visible, and around it.
const WIDTH: usize = 720;
const EVENT: usize = 46;
const HEIGHT: usize = 132;
const LEFT: usize = 44;
const TOP: usize = 16;
const BANDS: usize = 2 * 16;
const FOOT: usize = 34;

/// How wide an event is drawn, where there are so many.
fn event_width(count: usize) -> usize {
    (WIDTH / count.max(1)).clamp(EVENT, 3 * EVENT)
}

/// An event of the picture: one command of the host, and what came of it.
struct Point<'r> {
    row: &'r Row,
    /// Visible in its conversation after it.
    visible: i64,
}

/// The picture as SVG, with a text for those who do not see it; nothing, where nothing was done. Of several conversations it
/// shows the one in which the fault is.
pub(super) fn chart(drawing: &Drawing, title: &str) -> String {
    let faulty = drawing.rows.iter().rev().find(|row| row.body.mark);
    // What concerns no conversation by name concerns each.
    let named = faulty.into_iter().chain(&drawing.rows).map(|row| &row.conversation).find(|name| !name.is_empty());
    let here = |row: &&Row| row.conversation.is_empty() || named.is_none_or(|named| row.conversation == *named);
    let points: Vec<Point<'_>> =
        drawing.rows.iter().filter(here).filter_map(|row| Some(Point { row, visible: row.visible? })).collect();
    let left_out = points.len().saturating_sub(MOST);
    let points = &points[left_out..];
    if points.is_empty() {
        return String::new();
    }
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write(&mut text, points, left_out, title);
    text
}

fn write(out: &mut String, points: &[Point<'_>], left_out: usize, title: &str) -> fmt::Result {
    let wide = event_width(points.len());
    let width = LEFT + points.len() * wide + 12;
    let height = TOP + HEIGHT + BANDS + FOOT;
    let most = points.iter().map(|point| point.visible).max().unwrap_or(0).max(1);
    let y = |visible: i64| TOP as f64 + HEIGHT as f64 * (1.0 - visible.max(0) as f64 / most as f64);
    let x = |at: usize| (LEFT + at * wide) as f64;
    let middle = |at: usize| x(at) + wide as f64 / 2.0;
    writeln!(
        out,
        "<svg class=\"chart\" role=\"img\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\">"
    )?;
    let attempts = points.iter().filter(|point| point.row.state.attempt.is_some()).count();
    let wrong = points.iter().filter(|point| point.row.body.mark).count();
    let before = if left_out == 0 { String::new() } else { format!(" The first {left_out} events are not drawn.") };
    writeln!(
        out,
        "<title>{}: {} events, {attempts} with an attempt, {wrong} marked as wrong; at most {most} messages visible.{before} \
         The table below says the same.</title>",
        plain(title),
        points.len()
    )?;
    for line in [0, most] {
        let y = y(line);
        let end = width - 8;
        writeln!(out, "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{end}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>")?;
        writeln!(
            out,
            "<text class=\"axis\" x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{line}</text>",
            LEFT - 8,
            y + 4.0
        )?;
    }
    bands(out, points, &middle)?;
    // The steps: each event has its level, and the change stands at its middle.
    let mut path = format!("M{:.1} {:.1}", x(0), y(0));
    let mut last = 0;
    for (at, point) in points.iter().enumerate() {
        if at == 0 && left_out > 0 {
            last = point.visible;
            path = format!("M{:.1} {:.1}", x(0), y(last));
        }
        write!(path, " L{m:.1} {:.1} L{m:.1} {:.1}", y(last), y(point.visible), m = middle(at))?;
        last = point.visible;
    }
    write!(path, " L{:.1} {:.1}", x(points.len()), y(last))?;
    writeln!(out, "<path class=\"visible\" d=\"{path}\"/>")?;
    for (at, point) in points.iter().enumerate() {
        event(out, point, middle(at), y(point.visible), height)?;
    }
    writeln!(out, "</svg>")
}

/// The rows under the picture: when the cooldown ran, and when the latch was closed.
fn bands(out: &mut String, points: &[Point<'_>], middle: &impl Fn(usize) -> f64) -> fmt::Result {
    type Gate = (&'static str, fn(&Row) -> bool);
    const GATES: [Gate; 2] = [("cooling", |row| row.state.cooling), ("latched", |row| row.state.latched)];
    for (number, (name, closed)) in GATES.into_iter().enumerate() {
        let y = TOP + HEIGHT + 8 + number * 16;
        // A step finds the gate closed since the step before it, or longer.
        let mut since: Option<usize> = None;
        let mut named = false;
        for (at, point) in points.iter().enumerate().filter(|(_, point)| point.row.state.step) {
            if closed(point.row) {
                let (left, right) = (middle(since.unwrap_or(at)), middle(at));
                writeln!(
                    out,
                    "<rect class=\"band {name}\" x=\"{left:.1}\" y=\"{y}\" width=\"{:.1}\" height=\"12\">\
                     <title>{name} until {} s</title></rect>",
                    (right - left).max(4.0),
                    plain(&point.row.time)
                )?;
                if !named {
                    writeln!(out, "<text class=\"bandname\" x=\"{:.1}\" y=\"{}\">{name}</text>", left + 4.0, y + 10)?;
                }
            }
            named = closed(point.row);
            since = Some(at);
        }
    }
    Ok(())
}

/// The mark of an event, and its time.
fn event(out: &mut String, point: &Point<'_>, x: f64, y: f64, height: usize) -> fmt::Result {
    let Row { time, conversation, body, state, .. } = point.row;
    let class = match (body.mark, state.attempt, state.step) {
        (true, ..) => "wrong",
        (_, Some(true), _) => "success",
        (_, Some(false), _) => "failure",
        (_, None, true) => "step",
        _ => "host",
    };
    let said = [&body.did, &body.rule].into_iter().filter(|text| !text.is_empty());
    let said: Vec<String> = said.map(|text| plain(text)).collect();
    writeln!(
        out,
        "<g class=\"event {class}\"><title>{} s, {}{}: {}; {} visible</title>",
        plain(time),
        plain(conversation),
        plain(&body.command),
        if said.is_empty() { "the host".to_owned() } else { said.join("; ") },
        point.visible
    )?;
    match class {
        "wrong" => {
            let r = 7.0;
            writeln!(
                out,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"11\"/><path d=\"M{:.1} {:.1} l{d:.1} {d:.1} m0 -{d:.1} l-{d:.1} {d:.1}\"/>",
                x - r / 2.0,
                y - r / 2.0,
                d = r
            )?;
        }
        "success" => writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"6\"/>")?,
        "failure" => {
            writeln!(out, "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"11\" height=\"11\" rx=\"1.5\"/>", x - 5.5, y - 5.5)?
        }
        "step" => writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\"/>")?,
        _ => writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2\"/>")?,
    }
    let foot = height - 12;
    writeln!(
        out,
        "<text class=\"axis\" x=\"{x:.1}\" y=\"{foot}\" text-anchor=\"middle\">{}</text></g>",
        plain(&short(time))
    )
}

/// A time that fits under its event.
fn short(time: &str) -> String {
    let seconds: f64 = time.parse().unwrap_or(0.0);
    let rounded = if seconds.abs() >= 100_000.0 { format!("{seconds:.0e}") } else { format!("{:.6}", seconds) };
    let rounded =
        if rounded.contains('e') { rounded } else { rounded.trim_end_matches('0').trim_end_matches('.').to_owned() };
    format!("{} s", rounded.chars().take(8).collect::<String>())
}
