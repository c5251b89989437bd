package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/kite-mcp/kite-mcp/internal/render"
)

// maxClipboard is how much text terminals are sure to take: xterm stops at 100 KB
// of base64.
const maxClipboard = 74 << 10

// copyMsg asks the terminal to put text on its clipboard.
type copyMsg struct{ what, text string }

func (s *shared) copyText(what, text string) tea.Cmd {
	return s.say(copyMsg{what: what, text: render.Clean(text)})
}

// copyCommand sends OSC 52, and inside tmux or screen once more wrapped, since
// those do not always pass it on.
func copyCommand(msg copyMsg, multiplexer string) (tea.Cmd, string) {
	switch n := len(msg.text); {
	case n == 0:
		return nil, "nothing to copy"
	case n > maxClipboard:
		return nil, fmt.Sprintf("%s is too long for the clipboard: %s bytes", msg.what, thousands(n))
	}
	cmd := tea.SetClipboard(msg.text)
	sequence := ansi.SetSystemClipboard(msg.text)
	switch multiplexer {
	case "tmux":
		cmd = tea.Batch(cmd, tea.Raw(ansi.TmuxPassthrough(sequence)))
	case "screen":
		cmd = tea.Batch(cmd, tea.Raw(ansi.ScreenPassthrough(sequence, 0)))
	}
	return cmd, msg.what + " sent to the clipboard"
}
