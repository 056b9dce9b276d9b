#!/bin/sh
exec "$CONNECT" unix "$DOCKER_SOCKET"
