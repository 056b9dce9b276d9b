#!/bin/sh
# Stops its keeper, which can then neither wait for it nor record its exit; one of its children has no environment.
. "${0%/*}/note.sh"
. "${0%/*}/keepers.sh"
env -i setsid "$here/linger.sh" "$home" > /dev/null 2>&1 < /dev/null &
await_notes 2
kill -STOP "$(keeper)"
"$here/linger.sh"
