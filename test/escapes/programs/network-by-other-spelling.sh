#!/bin/sh
# The resolver knows more ways to write an address than a list does.
for host in 2130706433 127.1 0x7f000001 0177.0.0.1 127.0.0.1. localhost. LOCALHOST '[::ffff:127.0.0.1]'; do
  "$CONNECT" proxy "$host:$DENIED_PORT" && exit 0
done
exit 1
