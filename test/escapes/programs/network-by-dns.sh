#!/bin/sh
# A question to a resolver carries data out.
exec "$CONNECT" udp 127.0.0.1 "$RESOLVER_PORT"
