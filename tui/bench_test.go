package tui_test

import (
	"testing"

	tea "charm.land/bubbletea/v2"
)

// Budget: 3 ms for a key and its screen at 140x40, on two busy cores; a key held
// down repeats about every 30 ms.
func BenchmarkKey(b *testing.B) {
	d := drive(b, options(b), 140, 40)
	d.keys("/", "text:the", "enter")
	b.ReportAllocs()
	for b.Loop() {
		d.model.Update(tea.KeyPressMsg{Code: 'n', Text: "n"})
		_ = d.model.View()
	}
}
