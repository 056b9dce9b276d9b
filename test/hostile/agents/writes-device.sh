#!/bin/sh
# If /dev/stdout were a regular file, each redirection with `>` would truncate it.
. "${0%/*}/note.sh"
echo first
echo second > /dev/stdout
echo third >> /dev/stdout
echo fourth > /dev/fd/1
echo fault > /dev/stderr
echo fifth
