#!/bin/sh
# A listed host, but another port.
exec "$CONNECT" proxy "127.0.0.1:$DENIED_PORT"
