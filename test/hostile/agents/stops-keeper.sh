#!/bin/sh
# Its keeper can neither wait for it nor say that it ended; a child of it has cleared its environment.
. "${0%/*}/note.sh"
. "${0%/*}/keepers.sh"
env -i setsid "$here/linger.sh" "$home" > /dev/null 2>&1 < /dev/null &
await_notes 2
kill -STOP "$(keeper)"
"$here/linger.sh"
