#!/bin/sh
# Install agent-framework-core 1.23.0, every package pinned by constraints-1.23.0.txt:  setup.sh [DIR]  (default .venv-1.23.0 beside this file)
here=$(dirname "$0")
exec "$here/../install.sh" "$here" agent-framework-core 1.23.0 "$@"
