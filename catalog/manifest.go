package catalog

import (
	"crypto/sha256"
	"encoding/hex"
)

// Scheme is the URI scheme of skill files.
const Scheme = "skill://"

// Resource is one served file: skill://orders/prepare.md and its original bytes.
type Resource struct {
	URI         string
	Path        string // inside the catalog
	Name        string // file name; the skill's name for a SKILL.md
	Description string
	Size        int64  // raw bytes
	Digest      string // "sha256:" and 64 lowercase hex digits of the raw bytes
	Raw         []byte
}

// ManifestEntry is a file as a manifest lists it.
type ManifestEntry struct {
	URI    string `json:"uri"`
	Digest string `json:"digest"`
	Size   int64  `json:"size"`
}

// Manifest lists every file of a skill, nested skills included, sorted by URI.
type Manifest []ManifestEntry

// DigestBytes returns the digest of raw bytes as manifests write it.
func DigestBytes(raw []byte) string {
	sum := sha256.Sum256(raw)
	return "sha256:" + hex.EncodeToString(sum[:])
}
