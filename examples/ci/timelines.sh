#!/usr/bin/env bash
# The timelines that differ from those of a base, as Markdown for a comment on a pull request.
#
#   timelines.sh BASE [PATHSPEC ...]      PATHSPEC: '*.snap' where none is given; 'timelines/*.txt' for `plimsoll snapshot`
#
# What is committed comes first, then what waits for a review (`.snap.new`, `.txt.new`). Nothing is printed where nothing differs.
set -euo pipefail
base=${1:?usage: timelines.sh BASE [PATHSPEC ...]}
shift
[ $# -gt 0 ] || set -- '*.snap'
most=60000 # a comment holds 65,536 characters

report() {
    local files count new old
    files=$(git diff --name-only "$base" -- "$@" | wc -l)
    if [ "$files" -gt 0 ]; then
        echo "### $files timeline(s) changed"
        echo
        # Of the head of a snapshot nothing is said, and a row is read with the one before it.
        echo '```diff'
        git diff --no-color --unified=1 "$base" -- "$@" | sed -E '/^(index |diff --git |--- a\/|new file mode|deleted file mode)/d'
        echo '```'
        echo
    fi
    count=0
    while IFS= read -r -d '' new; do
        old=${new%.new}
        [ "$count" -gt 0 ] || { echo '### Not accepted yet'; echo; echo '```diff'; }
        count=$((count + 1))
        echo "+++ $old"
        [ -f "$old" ] || old=/dev/null
        # The head of a pending snapshot has members more.
        diff --unified=1 <(body "$old") <(body "$new") | tail -n +3 || true
    done < <(git ls-files -z --others -- '*.snap.new' '*.txt.new')
    if [ "$count" -gt 0 ]; then echo '```'; fi
}

# A snapshot without the head that insta writes.
body() { awk 'NR == 1 && $0 == "---" { head = 1; next } head && $0 == "---" { head = 0; next } !head' "$1"; }

text=$(report "$@")
if [ "${#text}" -gt "$most" ]; then
    # Up to the end of a line; no pipe, since a reader that stops early ends its writer with an error.
    text=${text:0:most}
    text=${text%$'\n'*}
    # A block that is open there is closed; no row of a diff begins with a fence.
    fences=$(awk '/^```/ { count++ } END { print count + 0 }' <<< "$text")
    [ $((fences % 2)) -eq 0 ] || text+=$'\n```'
    text+=$'\n\nThere is more: see the files of the pull request.'
fi
[ -z "$text" ] || printf '%s\n' "$text"
