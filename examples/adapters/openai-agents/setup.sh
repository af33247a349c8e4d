#!/bin/sh
# Install openai-agents 0.24.0, every package pinned by constraints-0.24.0.txt:  setup.sh [DIR]  (default .venv-0.24.0 beside this file)
here=$(dirname "$0")
exec "$here/../install.sh" "$here" openai-agents 0.24.0 "$@"
