#!/bin/sh
tr "\0" "\n" < "/proc/$VICTIM/environ" | grep -q escape-secret
