#!/bin/sh
# Install strands-agents 1.62.0, every package pinned by constraints-1.62.0.txt:  setup.sh [DIR]  (default .venv-1.62.0 beside this file)
here=$(dirname "$0")
exec "$here/../install.sh" "$here" strands-agents 1.62.0 "$@"
