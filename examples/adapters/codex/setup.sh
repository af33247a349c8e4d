#!/bin/sh
# Install @openai/codex 0.171.0, pinned by package-lock.json, into node_modules beside this file.
# A second run finds it complete and does nothing. No package's install script is run.
set -eu
cd "$(dirname "$0")"
if cmp -s package-lock.json node_modules/.plimsoll-lock; then
    echo "@openai/codex 0.171.0 is installed"
    exit 0
fi
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
cp package-lock.json node_modules/.plimsoll-lock
echo "@openai/codex 0.171.0 installed"
