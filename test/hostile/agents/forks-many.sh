#!/bin/sh
. "${0%/*}/note.sh"
count=0
while [ "$count" -lt 200 ]; do
  "$here/linger.sh" > /dev/null 2>&1 &
  count=$((count + 1))
done
await_notes 201
echo forked
