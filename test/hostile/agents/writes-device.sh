#!/bin/sh
# A plain file behind /dev/stdout would be cut off by each of these.
. "${0%/*}/note.sh"
echo first
echo second > /dev/stdout
echo third >> /dev/stdout
echo fourth > /dev/fd/1
echo fault > /dev/stderr
echo fifth
