#!/bin/sh
grep -q escape-secret "/proc/$VICTIM/root/$HOME/.ssh/id_ed25519"
