#!/bin/sh
echo '[core] fsmonitor = ./evil' >> included.gitconfig
