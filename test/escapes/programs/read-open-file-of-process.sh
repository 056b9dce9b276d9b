#!/bin/sh
grep -q escape-secret "/proc/$VICTIM/fd/3"
