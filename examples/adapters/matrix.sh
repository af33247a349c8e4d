#!/bin/sh
# Set up and judge real implementations, each against its known failures.
#
#   matrix.sh [-o DIR] [-e EFFORT] [-n] TARGET...
#
# TARGET    a row of the list below, the name of a directory for all of its rows, `quick` or `all`; none: the list
# -o DIR    where the reports go, a NAME.json and a NAME.txt for each, the witnesses, and MATRIX.md and matrix.html, which
#           set them side by side (default matrix)
# -e EFFORT smoke, default or nightly (default default, for which the known failures hold)
# -n        without the known failures: nothing but what is found
#
# PLIMSOLL names the binary (default: target/release/plimsoll of this checkout), JOBS the histories played at once.
# Exit code 0 if every run passed, 1 if one did not, 2 if one could not be set up or run.
set -u

here=$(cd "$(dirname "$0")" && pwd)
plimsoll=${PLIMSOLL-$here/../../target/release/plimsoll}
case $plimsoll in
    */*) plimsoll=$(cd "$(dirname "$plimsoll")" && pwd)/$(basename "$plimsoll") ;;
esac

# name, directory, argument of setup.sh or -, file of known failures or -, command; one in target is the suite itself,
# built around its candidate
list() {
    cat <<'ROWS'
gptme-0.35.1                   gptme            0.35.1 known-0.35.1.toml                    .venv-0.35.1/bin/python adapter.py
gptme-0.35.1-field             gptme            0.35.1 known-0.35.1-field.toml              .venv-0.35.1/bin/python adapter.py --field
gptme-0.35.1-request           gptme            0.35.1 known-0.35.1-request.toml            .venv-0.35.1/bin/python adapter.py --request
gptme-0.34.0                   gptme            0.34.0 known-0.34.0.toml                    .venv-0.34.0/bin/python adapter.py
gptme-0.34.0-request           gptme            0.34.0 known-0.34.0-request.toml            .venv-0.34.0/bin/python adapter.py --request
autogen-buffered               autogen          -      known-0.7.5-buffered.toml            .venv-0.7.5/bin/python adapter.py --buffered
autogen-head-and-tail          autogen          -      known-0.7.5-head-and-tail.toml       .venv-0.7.5/bin/python adapter.py --head-and-tail
autogen-token-limited          autogen          -      known-0.7.5-token-limited.toml       .venv-0.7.5/bin/python adapter.py --token-limited
agent-framework-truncation     agent-framework  -      known-1.23.0-truncation.toml         .venv-1.23.0/bin/python adapter.py --truncation
agent-framework-trunc-tokens   agent-framework  -      known-1.23.0-truncation-tokens.toml  .venv-1.23.0/bin/python adapter.py --truncation-tokens
agent-framework-token-budget   agent-framework  -      known-1.23.0-token-budget.toml       .venv-1.23.0/bin/python adapter.py --token-budget
agent-framework-summarization  agent-framework  -      known-1.23.0-summarization.toml      .venv-1.23.0/bin/python adapter.py --summarization
chatcram                       chatcram         -      known-0.1.0.toml                     .venv-0.1.0/bin/python adapter.py
contextclip                    chatcram         -      known-0.1.0-contextclip.toml         .venv-0.1.0/bin/python adapter.py --contextclip
langchainjs                    langchainjs      -      known.toml                           node adapter.mjs
langchainjs-trim               langchainjs      -      known-trim.toml                      node adapter.mjs --trim
langchainjs-trim-chat          langchainjs      -      known-trim-chat.toml                 node adapter.mjs --trim-chat
langchain-messages             langchain        -      known-1.5.2-messages.toml            .venv-1.5.2/bin/python adapter.py --messages
langchain-tokens               langchain        -      known-1.5.2-tokens.toml              .venv-1.5.2/bin/python adapter.py --tokens
langchain-partial              langchain        -      known-1.5.2-partial.toml             .venv-1.5.2/bin/python adapter.py --partial
langchain-summarize            langchain        -      known-1.5.2-summarize.toml           .venv-1.5.2/bin/python adapter.py --summarize
litellm                        litellm          -      known-1.110.2.toml                   .venv-1.110.2/bin/python adapter.py
strands-sliding-window         strands          -      known-1.62.0-sliding-window.toml     .venv-1.62.0/bin/python adapter.py --sliding-window
strands-summarizing            strands          -      known-1.62.0-summarizing.toml        .venv-1.62.0/bin/python adapter.py --summarizing
llamaindex-buffer              llamaindex       -      known-0.14.25-buffer.toml            .venv-0.14.25/bin/python adapter.py --buffer
llamaindex-summary             llamaindex       -      known-0.14.25-summary.toml           .venv-0.14.25/bin/python adapter.py --summary
openai-agents                  openai-agents    -      known-0.24.0.toml                    .venv-0.24.0/bin/python adapter.py
gemini-cli-core                gemini-cli-core  -      known.toml                           node adapter.mjs
pi-0.73.1                      pi-coding-agent  0.73.1 known-0.73.1.toml                    node adapter.mjs 0.73.1
pi-1.6.0                       pi-coding-agent  1.6.0  known-1.6.0.toml                     1.6.0/node_modules/.bin/node adapter.mjs 1.6.0
ai                             ai               -      known.toml                           node adapter.mjs
mastra                         mastra           -      known.toml                           node_modules/.bin/node adapter.mjs
mastra-contiguous              mastra           -      known.toml                           node_modules/.bin/node adapter.mjs --contiguous
codex                          codex            -      known.toml                           node adapter.mjs
clark-agent-compaction         ../crates/clark-agent-compaction - known-0.1.0.toml          target/release/clark-agent-compaction-conformance
clark-truncate                 ../crates/clark-agent-compaction - known-0.1.0-truncate.toml target/release/clark-agent-compaction-conformance --truncate
ROWS
}

# The rows that every change is checked with: short to set up, short to judge. Python alone; about 400 MB.
quick="gptme-0.35.1 chatcram autogen-token-limited agent-framework-summarization"

usage() {
    sed -n '2,/^set/s/^# \{0,1\}//p' "$here/matrix.sh" | sed '/^set/d' >&2
    list | awk '{print "   ", $1}' >&2
    exit 2
}

out=matrix effort=default known=yes
while getopts o:e:n option; do
    case $option in
        o) out=$OPTARG ;;
        e) effort=$OPTARG ;;
        n) known=no ;;
        *) usage ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || usage

names=
for wanted in "$@"; do
    case $wanted in
        quick) names="$names $quick" ;;
        all) names="$names $(list | awk '{print $1}')" ;;
        *) names="$names $wanted" ;;
    esac
done

worst=0
worse() { [ "$1" -le "$worst" ] || worst=$1; }

chosen=$(mktemp)
trap 'rm -f "$chosen"' EXIT
for name in $names; do
    if ! list | awk -v name="$name" '$1 == name || $2 == name || $2 ~ ("/" name "$") { print; found = 1 }
        END { exit !found }' >> "$chosen"; then
        echo "matrix.sh: no target $name" >&2
        worse 2
    fi
done

mkdir -p "$out"
out=$(cd "$out" && pwd)
done_setups= reports=
while read -r name directory argument toml command; do
    log=$out/setup-$(basename "$directory").txt
    cd "$here/$directory" 2>/dev/null || { echo "$name: there is no $directory"; worse 2; continue; }
    [ "$argument" = - ] && argument=
    case " $done_setups " in
        *" $directory/$argument "*) ;;
        *)
            if ! sh ./setup.sh $argument > "$log" 2>&1 < /dev/null; then
                echo "$name: could not be set up, see $log"
                worse 2
                continue
            fi
            done_setups="$done_setups $directory/$argument"
            ;;
    esac
    [ "$known" = yes ] && [ "$toml" != - ] || toml=
    case $command in
        target/*)
            env PLIMSOLL_EFFORT="$effort" PLIMSOLL_JOBS="${JOBS-}" PLIMSOLL_TIMEOUT=120 PLIMSOLL_KNOWN="$toml" \
                PLIMSOLL_JSON="$out/$name.json" PLIMSOLL_WITNESS_DIR="$out/witnesses" \
                $command > "$out/$name.txt" 2>&1 < /dev/null
            ;;
        *)
            "$plimsoll" check --effort "$effort" ${JOBS:+--jobs "$JOBS"} --timeout 120 --json "$out/$name.json" \
                --witness-dir "$out/witnesses" ${toml:+--known "$toml"} -- $command > "$out/$name.txt" 2>&1 < /dev/null
            ;;
    esac
    code=$?
    worse "$code"
    echo "$name: $(tail -1 "$out/$name.txt"), exit code $code"
    [ "$code" -ge 2 ] || reports="$reports $name.json"
done <<ROWS
$(awk '!seen[$1]++' "$chosen")
ROWS

# Side by side, without the paths of this machine.
if [ -n "$reports" ]; then
    (cd "$out" && "$plimsoll" matrix --witness-dir witnesses --date "$(date -u +%F)" --markdown MATRIX.md \
        --html matrix.html $reports) || worse 2
fi
exit "$worst"
