#!/bin/sh
# Only root can prepare this: the program belongs to another user.
test "$("$SET_USER_ID" -u)" != "$(id -u)"
