#!/bin/sh
# Records each termination signal but keeps running; its children ignore SIGTERM.
. "${0%/*}/note.sh"
for signal in HUP INT QUIT TERM; do trap "echo $signal >> '$home/signals'" "$signal"; done
"$here/ignores-term.sh" &
setsid "$here/ignores-term.sh" &
await_notes 5
echo yes > "$home/ready"
while :; do sleep 0.05; done
