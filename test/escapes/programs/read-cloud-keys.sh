#!/bin/sh
grep -q escape-secret ~/.aws/credentials
