#!/bin/sh
# Install llama-index-core 0.14.25, every package pinned by constraints-0.14.25.txt:  setup.sh [DIR]  (default .venv-0.14.25 beside this file)
here=$(dirname "$0")
exec "$here/../install.sh" "$here" llama-index-core 0.14.25 "$@"
