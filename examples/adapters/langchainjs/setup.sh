#!/bin/sh
# Install langchain 1.5.14 and @langchain/core 1.4.0, pinned by package-lock.json, into node_modules beside this file.
here=$(dirname "$0")
exec "$here/../install-npm.sh" "$here" "langchain 1.5.14 and @langchain/core 1.4.0"
