#!/bin/sh
# Install @openai/codex 0.171.0, pinned by package-lock.json, into node_modules beside this file.
here=$(dirname "$0")
exec "$here/../install-npm.sh" "$here" "@openai/codex 0.171.0"
