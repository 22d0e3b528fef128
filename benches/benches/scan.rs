//! Reading a message, and writing the answer to it.

use std::hint::black_box;

use benches::drive::{Era, Request};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mcp_types::jsonrpc::{Id, ScanLimits, scan, write_result, write_string};

fn scanning(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("scan");
    for (name, era, bytes) in [
        ("legacy echo, 100 B", Era::Legacy, 100),
        ("modern echo, 100 B", Era::Modern, 100),
        ("legacy echo, 100 kB", Era::Legacy, 100_000),
    ] {
        let mut line = Vec::new();
        Request::echo(era, bytes).write(1, &mut line);
        line.pop();
        let limits = ScanLimits::default();
        assert!(scan(&line, &limits).is_ok(), "{name} is a message");
        group.throughput(Throughput::Bytes(line.len() as u64));
        group.bench_function(name, |bencher| bencher.iter(|| scan(black_box(&line), &limits).is_ok()));
    }
}

fn writing(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("write");
    let mut out = Vec::new();
    for (name, text) in [
        ("string, 100 B", "x".repeat(100)),
        ("string, 100 kB", "x".repeat(100_000)),
        ("string, 100 kB with an escape in each 100", format!("{}\n", "x".repeat(99)).repeat(1000)),
    ] {
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                out.clear();
                write_string(&mut out, black_box(&text));
                out.len()
            });
        });
    }
    let body = br#"{"content":[{"type":"text","text":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}]}"#;
    group.throughput(Throughput::Bytes(body.len() as u64));
    group.bench_function("result", |bencher| {
        bencher.iter(|| {
            out.clear();
            write_result(&mut out, black_box(&Id::from(7)), black_box(body));
            out.len()
        });
    });
}

criterion_group!(scan_and_write, scanning, writing);
criterion_main!(scan_and_write);
