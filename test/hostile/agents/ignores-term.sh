#!/bin/sh
trap '' HUP INT QUIT TERM USR1 USR2
. "${0%/*}/note.sh"
"$here/linger.sh" &
while :; do sleep 1; done
