#!/bin/sh
exec "$CONNECT" tcp localhost "$DENIED_PORT"
