#!/bin/sh
# Install one release of pi-coding-agent, pinned by VERSION/package-lock.json, into VERSION/node_modules.
#
#   setup.sh VERSION     VERSION: 0.73.1, or 1.6.0 with a Node 22 of its own
set -eu
cd "$(dirname "$0")"
version=${1-}
if [ -z "$version" ] || [ ! -f "$version/package-lock.json" ]; then
    echo "usage: setup.sh VERSION; versions: 0.73.1 1.6.0" >&2
    exit 2
fi
exec ../install-npm.sh "$version" "pi-coding-agent $version" --engine-strict=false
