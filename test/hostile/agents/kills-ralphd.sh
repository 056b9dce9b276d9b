#!/bin/sh
# Attacks ralphd, then waits until the test creates the file `go`.
. "${0%/*}/note.sh"
. "${0%/*}/keepers.sh"
everybody=$(above)
ralphd=${everybody##*[!0-9]}
attempt=$(dirname "$(started)")
case $1 in
  term) kill -TERM $everybody ;;
  kill) kill -KILL "$ralphd" ;;
  forge-exit) echo 0 > "$attempt/exit"; kill -KILL "$ralphd" ;;
  block-exit) mkfifo "$attempt/exit"; kill -KILL "$ralphd" ;;
  delete-attempt) rm -rf "$attempt"; kill -KILL "$ralphd" ;;
  delete-state) rm -rf .ralph; kill -KILL "$ralphd" ;;
esac
until [ -e go ]; do sleep 0.02; done
[ -z "$2" ] || exit "$2"
touch done
echo '<promise>DONE</promise>'
