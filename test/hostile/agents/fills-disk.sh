#!/bin/sh
# Prints more than the disk for its output can hold.
. "${0%/*}/note.sh"
yes 'one of very many lines, all of them alike and of no interest...' | head -c 8000000
