#!/bin/sh
# Install litellm 1.110.2, every package pinned by constraints-1.110.2.txt:  setup.sh [DIR]  (default .venv-1.110.2 beside this file)
here=$(dirname "$0")
exec "$here/../install.sh" "$here" litellm 1.110.2 "$@"
