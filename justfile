# Short names for make; the Makefile is the one source.

build-app:
    make build-app

test-app:
    make test-app

check:
    make check
