#!/bin/sh
# Prints numbered lines slowly, and logs its runs: starts, ends, and any other run that was still active.
cat > /dev/null
attempt=${RALPHD_ATTEMPT##*,}
attempt=${attempt#*/}
iteration=${attempt%/*}
# In a sandbox each run has numbers of its own.
numbers=$(readlink /proc/self/ns/pid)
if [ -f busy ] && [ "$(cut -d' ' -f2 busy)" = "$numbers" ] && kill -0 "$(cut -d' ' -f1 busy)" 2> /dev/null; then
  echo "met $attempt $(cat busy)" >> log
fi
echo "$$ $numbers" > busy
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
