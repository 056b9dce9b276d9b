#!/bin/sh
. "${0%/*}/note.sh"
head -c "${HOSTILE_BYTES:-64000000}" /dev/zero | tr '\0' x
