#!/bin/sh
# In each run another one: the line of that number says how long those linger that only wait for their end, and who it is.
: > "$HOME/pids"
line=$(sed -n "$(wc -l < "$HOME/runs")p" "$HOME/parade")
export HOSTILE_LINGER="${line%% *}"
eval "exec ${0%/*}/${line#* }"
