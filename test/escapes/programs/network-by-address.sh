#!/bin/sh
exec "$CONNECT" tcp 127.0.0.1 "$DENIED_PORT"
