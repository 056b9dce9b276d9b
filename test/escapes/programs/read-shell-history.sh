#!/bin/sh
grep -q escape-secret ~/.bash_history
