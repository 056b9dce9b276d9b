#!/bin/sh
exec "$CONNECT" unix "$EDITOR_SOCKET"
