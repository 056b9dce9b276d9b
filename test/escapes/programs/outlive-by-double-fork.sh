#!/bin/sh
# Judged afterwards.
(setsid sh -c "sleep 3608 & sleep 3609 &" > /dev/null 2>&1 &)
