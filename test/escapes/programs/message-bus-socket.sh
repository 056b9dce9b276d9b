#!/bin/sh
exec "$CONNECT" unix "$BUS_SOCKET"
