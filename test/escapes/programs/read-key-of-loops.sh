#!/bin/sh
grep -q escape-secret ~/.config/ralphd/key
