#!/bin/sh
# Build the suite around the crate, every package pinned by Cargo.lock, into target beside this file.
set -eu
cd "$(dirname "$0")"
exec cargo build --release --locked --quiet
