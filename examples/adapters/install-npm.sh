#!/bin/sh
# Install what DIR/package-lock.json pins into DIR/node_modules. The setup.sh of a target calls it.
#
#   install-npm.sh DIR NAME [OPTION...]     NAME: what is said to be installed; OPTION: for npm ci
#
# A second run finds it complete and does nothing. No package's install script is run.
set -eu

cd "$1"
name=$2
shift 2
complete=node_modules/.plimsoll-lock

if cmp -s package-lock.json "$complete"; then
    echo "$name is installed"
    exit 0
fi

npm ci --ignore-scripts --no-audit --no-fund --loglevel=error "$@"
cp package-lock.json "$complete"
echo "$name installed"
