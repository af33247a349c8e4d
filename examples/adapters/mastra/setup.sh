#!/bin/sh
# Install @mastra/core 1.71.0, pinned by package-lock.json, into node_modules beside this file.
here=$(dirname "$0")
exec "$here/../install-npm.sh" "$here" "@mastra/core 1.71.0" --engine-strict=false
