#!/bin/sh
# Runs until killed. Takes the folder for its notes as an argument when started without an environment.
HOSTILE_HOME=${1:-$HOME}
. "${0%/*}/note.sh"
exec /bin/sleep "${HOSTILE_LINGER:-100000}"
