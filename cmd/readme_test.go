package cmd_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kite-mcp/kite-mcp/internal/config"
	"github.com/kite-mcp/kite-mcp/internal/tools"
)

func readme(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// TestReadmeCommands holds every command line of the README to the command tree.
func TestReadmeCommands(t *testing.T) {
	t.Parallel()
	lines := regexp.MustCompile("(?m)^kite-mcp .*$|`kite-mcp [^`]+`").FindAllString(readme(t), -1)
	if len(lines) < 10 {
		t.Errorf("README.md: only %d command lines found", len(lines))
	}
	for _, line := range lines {
		line, _, _ = strings.Cut(strings.Trim(line, "`"), "#")
		words := splitWords(strings.TrimSpace(line))[1:]
		if strings.HasPrefix(words[0], "/") {
			continue
		}
		found, rest, err := newRoot().Find(words)
		if err == nil {
			err = found.ParseFlags(rest)
		}
		if err == nil {
			err = found.ValidateArgs(found.Flags().Args())
		}
		if err != nil || !found.HasParent() {
			t.Errorf("README.md: %s: runs %s, error %v", line, found.CommandPath(), err)
		}
	}
}

// TestReadmeVariables holds the README's table of variables to the settings.
func TestReadmeVariables(t *testing.T) {
	t.Parallel()
	rows := regexp.MustCompile("(?m)^\\| (`[A-Z_]+`.*?) \\| (.*?) \\|").FindAllStringSubmatch(readme(t), -1)
	if len(rows) < 5 {
		t.Errorf("README.md: only %d rows of variables found", len(rows))
	}
	for _, row := range rows {
		for _, name := range regexp.MustCompile("[A-Z_]+").FindAllString(row[1], -1) {
			i := slices.IndexFunc(config.Variables(), func(v config.Variable) bool { return v.Name == name })
			if i < 0 {
				t.Errorf("README.md: internal/config has no variable %s", name)
			} else if def := config.Variables()[i].Default; !strings.Contains(row[2], def) {
				t.Errorf("README.md: the default of %s is %s, not %s", name, def, row[2])
			}
		}
	}
}

// TestFlagsOfferWhatToolsTake holds flags with fixed values to the argument they
// become.
func TestFlagsOfferWhatToolsTake(t *testing.T) {
	t.Parallel()
	reg, err := tools.New(tools.All(), tools.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ command, flag, tool, argument string }{
		{"holdings", "type", "portfolio", "type"},
		{"positions", "view", "portfolio", "position_view"},
		{"instruments", "on", "market", "filter_on"},
	} {
		c, _, err := newRoot().Find([]string{tt.command})
		if err != nil {
			t.Fatal(err)
		}
		offer, ok := c.GetFlagCompletionFunc(tt.flag)
		if !ok {
			t.Errorf("cmd/%s.go: --%s completes nothing", tt.command, tt.flag)
			continue
		}
		offered, _ := offer(c, nil, "")
		property := reg.Tool(tt.tool).Schema().Properties[tt.argument]
		for _, v := range property.Enum {
			word, _ := v.(string)
			if !slices.Contains(offered, word) || !strings.Contains(c.Flag(tt.flag).Usage, word) {
				t.Errorf("cmd/%s.go: --%s lacks %q, which %s of %s takes", tt.command, tt.flag, word, tt.argument, tt.tool)
			}
		}
		if len(offered) != len(property.Enum) {
			t.Errorf("cmd/%s.go: --%s offers %v, %s takes %v", tt.command, tt.flag, offered, tt.argument, property.Enum)
		}
		if def := strings.Trim(string(property.Default), `"`); c.Flag(tt.flag).DefValue != def {
			t.Errorf("cmd/%s.go: --%s is %q by default, %s of %s %q", tt.command, tt.flag, c.Flag(tt.flag).DefValue, tt.argument, tt.tool, def)
		}
	}
}
