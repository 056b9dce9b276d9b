#!/bin/sh
exec perl -e 'my $text = ""; shmread($ARGV[0], $text, 0, 13) && $text =~ /escape-secret/ or exit 1' "$SYSTEM_V_MEMORY"
