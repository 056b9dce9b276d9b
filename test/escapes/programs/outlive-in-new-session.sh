#!/bin/sh
# Judged afterwards.
env -i setsid sh -c "touch survivor-1; sleep 3607" > /dev/null 2>&1 &
