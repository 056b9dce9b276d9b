#!/bin/sh
grep -q escape-secret ~/.mozilla/cookies
