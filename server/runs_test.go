//go:build !race

package server_test

const runs = 200
