#!/bin/sh
# Prints numbered lines slowly, and logs its runs: starts, ends, and any other run that was still active.
cat > /dev/null
attempt=${RALPHD_ATTEMPT##*,}
attempt=${attempt#*/}
iteration=${attempt%/*}
# In a sandbox each run has numbers of its own, so only the start time tells one process from another.
started() {
  read -r line < "/proc/$1/stat" || return
  set -- ${line##*) }
  echo "${20}"
}
if [ -f busy ] && [ "$(started "$(cut -d' ' -f1 busy)" 2> /dev/null)" = "$(cut -d' ' -f2 busy)" ]; then
  echo "met $attempt $(cat busy)" >> log
fi
echo "$$ $(started $$)" > busy
echo "start $attempt" >> log
line=1
while [ "$line" -le 25 ]; do
  echo "line $line of $attempt"
  line=$((line + 1))
  sleep 0.02
done
echo "end $attempt" >> log
rm -f busy
exit $((iteration % 4))
