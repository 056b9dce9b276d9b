#!/bin/sh
# Only root may do this anyway: others use a program with the rights of a group.
mkdir -p /var/spool/cron/crontabs && touch "/var/spool/cron/crontabs/$ESCAPE"
rm "/var/spool/cron/crontabs/$ESCAPE"
