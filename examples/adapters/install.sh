#!/bin/sh
# Install one pinned package of Python into a virtual environment beside its adapter. The setup.sh of a target calls it.
#
#   install.sh HERE PACKAGE VERSION [DIR]     HERE: the adapter's directory; DIR: default HERE/.venv-VERSION
#
# Installed is what HERE/constraints-VERSION.txt lists, transitive packages included, and nothing else. A second run finds
# the environment complete and does nothing. PYTHON names the interpreter (default python3; 3.10 or newer).
set -eu

here=$(cd "$1" && pwd)
package=$2
version=$3
constraints=$here/constraints-$version.txt
dir=${4-$here/.venv-$version}
complete=$dir/.plimsoll-constraints

if [ -x "$dir/bin/python" ] && cmp -s "$constraints" "$complete"; then
    echo "$package $version is installed in $dir"
    exit 0
fi

rm -f "$complete"
"${PYTHON-python3}" -m venv "$dir"
"$dir/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --requirement "$constraints"
"$dir/bin/python" -m pip check --disable-pip-version-check
installed=$("$dir/bin/python" -c 'import sys; from importlib.metadata import version; print(version(sys.argv[1]))' "$package")
if [ "$installed" != "$version" ]; then
    echo "install.sh: wanted $package $version, got $installed" >&2
    exit 1
fi
cp "$constraints" "$complete"
echo "$package $version installed in $dir"
