#!/bin/sh
# Install autogen-core 0.7.5, every package pinned by constraints-0.7.5.txt:  setup.sh [DIR]  (default .venv-0.7.5 beside this file)
here=$(dirname "$0")
exec "$here/../install.sh" "$here" autogen-core 0.7.5 "$@"
