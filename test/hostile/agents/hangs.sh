#!/bin/sh
. "${0%/*}/note.sh"
"$here/linger.sh"
