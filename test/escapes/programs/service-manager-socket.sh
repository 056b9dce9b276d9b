#!/bin/sh
# What systemd-run talks to.
exec "$CONNECT" unix "$SYSTEMD_SOCKET"
