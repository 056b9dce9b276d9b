#!/bin/sh
# Kills or stops the programs that write its output to disk, and keeps printing.
. "${0%/*}/note.sh"
trap '' PIPE
echo before
for place in $(grep -alsF "RALPHD_KEEPER=${RALPHD_ATTEMPT##*,}" /proc/[0-9]*/environ); do
  place=${place%/environ}
  [ "$(cat "$place/comm")" = cat ] && kill -"$1" "${place#/proc/}"
done
echo after
exit 0
