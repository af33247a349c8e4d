#!/bin/sh
# Install chatcram 0.1.0, every package pinned by constraints-0.1.0.txt:  setup.sh [DIR]  (default .venv-0.1.0 beside this file)
here=$(dirname "$0")
exec "$here/../install.sh" "$here" chatcram 0.1.0 "$@"
