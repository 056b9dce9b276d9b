#!/bin/sh
. "${0%/*}/note.sh"
exec > /dev/null 2>&1 < /dev/null
exec >&- 2>&- <&-
"$here/linger.sh"
