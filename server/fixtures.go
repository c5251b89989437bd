//go:build !conformance

package server

// addFixtures adds nothing: the tools that the official conformance suite asks
// for exist only in builds with -tags=conformance.
func (s *Server) addFixtures(*approvals) {}
