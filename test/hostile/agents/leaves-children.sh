#!/bin/sh
# One child keeps the output open, one does not, one ignores SIGTERM.
. "${0%/*}/note.sh"
"$here/linger.sh" &
"$here/linger.sh" > /dev/null 2>&1 &
"$here/ignores-term.sh" &
await_notes 5
echo left
