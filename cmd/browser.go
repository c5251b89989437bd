package cmd

import "runtime"

// browser is the command that opens a web page on this system; nil where a page
// would open in this terminal, or nowhere.
func (a *App) browser() []string {
	switch runtime.GOOS {
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}
	case "darwin":
		return []string{"open"}
	}
	if a.getenv("DISPLAY") == "" && a.getenv("WAYLAND_DISPLAY") == "" {
		return nil
	}
	return []string{"xdg-open"}
}
