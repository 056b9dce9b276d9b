#!/bin/sh
# What tmux and screen talk to.
exec "$CONNECT" unix "$TMUX_SOCKET"
