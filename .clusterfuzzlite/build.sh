#!/usr/bin/env bash
# Builds every fuzz target, packs what it starts from, and puts its dictionary beside it. In a container SRC and OUT are set; without one they default to this
# checkout and its folder `fuzz/out`.
set -euo pipefail
root=${SRC:+$SRC/plimsoll}
root=${root:-$(cd "$(dirname "$0")/.." && pwd)}
out=${OUT:-$root/fuzz/out}
sanitizer=${SANITIZER:-address}
mkdir -p "$out"
cd "$root/fuzz"
cargo +nightly fuzz build -s "$sanitizer" --no-trace-compares
triple=$(rustc +nightly -vV | sed -n 's/^host: //p')
for source in fuzz_targets/*.rs; do
    target=$(basename "$source" .rs)
    # These two find nothing by themselves: one is known to be bad, one does nothing.
    case $target in zoo | empty) continue ;; esac
    cp "target/$triple/release/$target" "$out/"
    [ ! -f "dictionaries/$target.dict" ] || cp "dictionaries/$target.dict" "$out/"
    seeds=$(mktemp -d)
    ./seeds "$target" | while IFS= read -r folder; do
        find "$folder" -type f ! -name .gitkeep -exec cp {} "$seeds/" \;
    done
    if [ -n "$(ls -A "$seeds")" ]; then
        (cd "$seeds" && python3 -m zipfile -c "$out/${target}_seed_corpus.zip" ./*)
    fi
    rm -rf "$seeds"
done
