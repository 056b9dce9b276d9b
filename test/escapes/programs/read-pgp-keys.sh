#!/bin/sh
grep -q escape-secret ~/.gnupg/secring.gpg
