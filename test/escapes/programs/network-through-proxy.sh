#!/bin/sh
exec "$CONNECT" proxy "localhost:$DENIED_PORT"
