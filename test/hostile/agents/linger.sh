#!/bin/sh
# Stays until it is ended. The home of its notes may be given, for one that was started without an environment.
HOSTILE_HOME=${1:-$HOME}
. "${0%/*}/note.sh"
exec /bin/sleep 100000
