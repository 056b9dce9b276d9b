#!/bin/sh
exec "$CONNECT" tcp ::1 "$DENIED_PORT6"
