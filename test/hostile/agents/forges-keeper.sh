#!/bin/sh
# Kills ralphd and its keeper, and records an unrelated process as its keeper.
. "${0%/*}/note.sh"
. "${0%/*}/keepers.sh"
victims="$(above | tail -n 1) $(keeper)"
file=$(started)
read -r pid start < "$home/bystander"
sed "s/\"pid\": *[0-9]*/\"pid\":$pid/; s/\"startTime\": *\"[^\"]*\"/\"startTime\":\"$start\"/" "$file" > forged
sed "s/^agent .*/agent $pid $start/" forged > "$file"
kill -KILL $victims
"$here/linger.sh"
