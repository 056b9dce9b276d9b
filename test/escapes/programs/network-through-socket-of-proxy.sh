#!/bin/sh
# Past the part of the proxy that runs inside.
exec "$CONNECT" proxy-socket "localhost:$DENIED_PORT"
