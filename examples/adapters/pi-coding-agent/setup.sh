#!/bin/sh
# Install one release of pi-coding-agent, pinned by VERSION/package-lock.json, into VERSION/node_modules.
#
#   setup.sh VERSION     VERSION: 0.73.1, or 1.6.0 with a Node 22 of its own
#
# A second run finds it complete and does nothing. No package's install script is run.
set -eu
cd "$(dirname "$0")"
version=${1-}
if [ -z "$version" ] || [ ! -f "$version/package-lock.json" ]; then
    echo "usage: setup.sh VERSION; versions: 0.73.1 1.6.0" >&2
    exit 2
fi
cd "$version"
if cmp -s package-lock.json node_modules/.plimsoll-lock; then
    echo "pi-coding-agent $version is installed"
    exit 0
fi
npm ci --ignore-scripts --engine-strict=false --no-audit --no-fund --loglevel=error
cp package-lock.json node_modules/.plimsoll-lock
echo "pi-coding-agent $version installed"
