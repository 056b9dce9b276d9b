#!/bin/sh
# Only root may do this anyway: others use a program with the rights of a group.
mkdir -p /var/spool/cron/atjobs && touch "/var/spool/cron/atjobs/$ESCAPE"
rm "/var/spool/cron/atjobs/$ESCAPE"
