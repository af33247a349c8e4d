#!/bin/sh
# Install langchain 1.5.2, every package pinned by constraints-1.5.2.txt:  setup.sh [DIR]  (default .venv-1.5.2 beside this file)
here=$(dirname "$0")
exec "$here/../install.sh" "$here" langchain 1.5.2 "$@"
