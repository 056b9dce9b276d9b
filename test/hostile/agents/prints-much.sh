#!/bin/sh
. "${0%/*}/note.sh"
yes 'one of very many lines, all of them alike and of no interest...' | head -c "${HOSTILE_BYTES:-64000000}"
