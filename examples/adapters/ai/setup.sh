#!/bin/sh
# Install ai 6.0.326, pinned by package-lock.json, into node_modules beside this file.
here=$(dirname "$0")
exec "$here/../install-npm.sh" "$here" "ai 6.0.326"
