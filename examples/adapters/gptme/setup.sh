#!/bin/sh
# Install one pinned gptme release into a virtual environment of its own.
#
#   setup.sh VERSION [DIR]     VERSION: 0.34.0 or 0.35.1; DIR: default .venv-VERSION beside this file
#
# Every package, transitive ones included, is pinned by constraints-VERSION.txt. A second run finds the
# environment complete and does nothing. PYTHON names the interpreter (default python3; 3.10 or newer).
set -eu

here=$(cd "$(dirname "$0")" && pwd)
version=${1-}
constraints=$here/constraints-$version.txt

if [ -z "$version" ] || [ ! -f "$constraints" ]; then
    echo "usage: setup.sh VERSION [DIR]; versions:$(cd "$here" && ls constraints-*.txt | sed 's/constraints-\(.*\)\.txt/ \1/' | tr -d '\n')" >&2
    exit 2
fi

dir=${2-$here/.venv-$version}
done=$dir/.plimsoll-constraints

if [ -x "$dir/bin/python" ] && cmp -s "$constraints" "$done"; then
    echo "gptme $version is installed in $dir"
    exit 0
fi

rm -f "$done"
"${PYTHON-python3}" -m venv "$dir"
"$dir/bin/python" -m pip install --quiet --disable-pip-version-check --constraint "$constraints" "gptme==$version"
installed=$("$dir/bin/python" -c 'from importlib.metadata import version; print(version("gptme"))')
if [ "$installed" != "$version" ]; then
    echo "setup.sh: wanted gptme $version, got $installed" >&2
    exit 1
fi
cp "$constraints" "$done"
echo "gptme $version installed in $dir"
