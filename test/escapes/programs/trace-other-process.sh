#!/bin/sh
exec "$CONNECT" trace "$VICTIM"
