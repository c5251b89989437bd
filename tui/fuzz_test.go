package tui_test

import (
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
)

// moves are what a person can do, one per byte of the fuzzed input.
func moves() []string {
	return strings.Fields("up down left right pgup pgdown space ctrl+u ctrl+d home end g G enter tab shift+tab f / n N s ctrl+k o [ ] backspace " +
		"alt+left alt+right t w m y Y v V 1 2 ? : esc ctrl+l ctrl+a ctrl+e ctrl+w a Z 你 9 . click wheel resize paste")
}

// FuzzBrowser plays any keys at any window size: no panic, and every screen has
// exactly the size of the window.
func FuzzBrowser(f *testing.F) {
	f.Add(uint16(80), uint16(24), []byte("abcdefghijklmnopqrstuvwxyz"))
	f.Add(uint16(0), uint16(0), []byte{0, 50, 51, 52, 53, 12})
	f.Add(uint16(40), uint16(10), []byte{17, 43, 44, 53, 13, 20, 44, 13, 36, 12, 37, 36, 14, 12})
	f.Add(uint16(300), uint16(1), []byte{52, 100, 52, 200, 52, 3})
	f.Fuzz(func(t *testing.T, w, h uint16, input []byte) {
		synctest.Test(t, func(t *testing.T) {
			const limit = 60
			d := drive(t, options(t), int(w%301), int(h%301))
			all := moves()
			for i, b := range input[:min(len(input), limit)] {
				switch move := all[int(b)%len(all)]; move {
				case "click":
					d.send(tea.MouseClickMsg{X: int(b) + i, Y: i % 40, Button: tea.MouseLeft})
				case "wheel":
					d.send(tea.MouseWheelMsg{X: i, Y: i % 30, Button: tea.MouseWheelDown})
				case "resize":
					d.resize((int(b)*7+i*13)%301, (int(b)*3+i*5)%301)
				case "paste":
					d.send(tea.PasteMsg{Content: string(input)})
				default:
					d.keys(move)
				}
				_ = d.content()
			}
		})
	})
}

// TestEverySize draws every screen at every small size and many large ones.
func TestEverySize(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, keys := range [][]string{nil, {"/", "text:the"}, {"2"}, {"2", "right"}, {"?"}, {"s", "text:a"}, {"o"}, {":"}} {
			d := drive(t, options(t), 80, 24)
			d.keys(keys...)
			d.hold = true // the layout for each size is not awaited
			for w := 0; w <= 300; w += 1 + w/6 {
				for h := 0; h <= 300; h += 1 + h/3 {
					d.resize(w, h)
					_ = d.content()
				}
			}
		}
	})
}
