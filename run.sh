cd /tmp/brk2
REQ=${REQ:--r THR-2 -r OUT-3}
for m in "$@"; do
 s=$(date +%s)
 nice -n 5 timeout ${TO:-40} /tmp/plimsoll-last check --effort smoke --jobs 1 $REQ $OPT --witness-dir /tmp/brk2/w-$m --json /tmp/brk2/$m.json -- python3 proxy.py $m $CAND > out-$m.txt 2>&1; rc=$?
 echo "=== $m rc $rc $(($(date +%s)-s))s"; grep -E 'histories|THR-2|OUT-3|MUST|protocol_error|crash|timeout|error|cannot|plimsoll' out-$m.txt | head -${LINES_N:-9} | cut -c1-230;  tail -1 out-$m.txt | cut -c1-250
done
