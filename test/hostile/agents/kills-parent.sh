#!/bin/sh
. "${0%/*}/note.sh"
setsid "$here/linger.sh" &
await_notes 2
kill -KILL $PPID
"$here/linger.sh"
