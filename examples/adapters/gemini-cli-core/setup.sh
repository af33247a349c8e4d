#!/bin/sh
# Install @google/gemini-cli-core 0.61.0, pinned by package-lock.json, into node_modules beside this file.
here=$(dirname "$0")
exec "$here/../install-npm.sh" "$here" "@google/gemini-cli-core 0.61.0"
