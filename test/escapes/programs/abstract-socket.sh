#!/bin/sh
exec "$CONNECT" abstract "$ABSTRACT_SOCKET"
