#!/bin/sh
# Fills the disk of its own output by printing.
. "${0%/*}/note.sh"
yes 'one of very many lines, all of them alike and of no interest...' | head -c 8000000
