#!/bin/sh
. "${0%/*}/note.sh"
. "${0%/*}/keepers.sh"
setsid "$here/linger.sh" &
await_notes 2
kill -KILL "$(keeper)"
"$here/linger.sh"
