#!/bin/sh
# A whole candidate without any helper, in POSIX shell: plimsoll check -- sh guard.sh
# It guards an operation by change (spec/change.md): a success asks for one relevant change, a failure for two. The lines of
# the harness are regular enough for patterns: a member of parameters never stands in a text here.

seen=0   # relevant external changes since the last attempt that ran
needed=0 # how many it takes; the first attempt runs

# How many relevant external changes the text has.
changes() {
    rest=$1 count=0
    while case $rest in *'{"by":"external","relevant":true}'*) ;; *) false ;; esac; do
        rest=${rest#*'{"by":"external","relevant":true}'} count=$((count + 1))
    done
}

while read -r line; do
    id=${line#*'"id":'} id=${id%%,*} result='{}'
    case $line in
    *'"method":"hello"'*)
        result='{"protocol":1,"name":"guard.sh","version":"1","contract":{"capabilities":["change"]}}' ;;
    *'"method":"reset"'*)
        seen=0 needed=0 ;;
    *'"method":"change"'*)
        changes "$line"; seen=$((seen + count)) ;;
    *'"method":"attempt"'*)
        result='{"ran":false}'
        if [ "$seen" -ge "$needed" ]; then
            changes "$line"; seen=$count result='{"ran":true}'
            case $line in *'"outcome":"fail"'*) needed=2 ;; *) needed=1 ;; esac
        fi ;;
    esac
    printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
    case $line in *'"method":"bye"'*) exit 0 ;; esac
done
