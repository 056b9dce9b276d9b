#!/bin/sh
# Only root may do this anyway.
mkdir -p mounted && mount -t tmpfs none mounted
result=$?
umount mounted
exit $result
