//! Reducing fields of 1, 16 and 64 MiB, against copying the same bytes and against the naive way.
//!
//! `cargo bench --bench field`, in one run, so that the ratios mean something. The field is one removable block and a
//! short required one, and it is 4,884 characters over its limit, so nearly all of it is kept.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use plimsoll::{Block, FieldRules, Limit, Reducer, ReferenceReducer, Unit};

const MIB: usize = 1 << 20;
const OVER: usize = 4_884;

fn field(kind: &str, bytes: usize) -> [Block; 2] {
    let words = match kind {
        "ascii" => "the river bends past an old mill where grain was once ground ",
        _ => "größe naïve 目的 記録 🙂 заметка the river bends façade 数える 🚢 плотина ",
    };
    let mut text = words.repeat(bytes.div_ceil(words.len()));
    text.truncate((0..=bytes).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0));
    [Block::removable(text), Block::required("REQUIRED: answer in French.")]
}

fn reduce(criterion: &mut Criterion) {
    let reducer = ReferenceReducer::new(FieldRules::default());
    for kind in ["ascii", "mixed"] {
        let mut group = criterion.benchmark_group(kind);
        group.sample_size(10).warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
        for mib in [1, 16, 64] {
            let blocks = field(kind, mib * MIB);
            let text = &blocks[0].text;
            let max = Unit::CodePoints.len(text) + 2 + 27 - OVER;
            let limit = Limit::new(max, Unit::CodePoints);
            group.throughput(Throughput::Bytes(text.len() as u64));
            group.bench_function(BenchmarkId::new("memcpy", mib), |b| b.iter(|| black_box(text.as_str()).to_owned()));
            group.bench_function(BenchmarkId::new("reference", mib), |b| {
                b.iter(|| reducer.reduce(black_box(&blocks), limit).map(|reduced| reduced.text.len()));
            });
            group.bench_function(BenchmarkId::new("naive", mib), |b| {
                b.iter(|| black_box(text.as_str()).chars().take(max).collect::<String>());
            });
        }
        group.finish();
    }
}

criterion_group!(benches, reduce);
criterion_main!(benches);
