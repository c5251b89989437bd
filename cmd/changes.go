package cmd

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/kite-mcp/kite-mcp/internal/config"
	"github.com/kite-mcp/kite-mcp/internal/intent"
	"github.com/kite-mcp/kite-mcp/internal/store"
	"github.com/kite-mcp/kite-mcp/internal/tools"
)

// stateDir is the program's folder for what must not be lost; empty when the
// environment does not tell.
func (a *App) stateDir() string {
	return a.userFolder("LocalAppData", "Library/Application Support", "XDG_STATE_HOME", ".local/state")
}

// stateFiles are the log of changes and the key that seals it: in the state
// folder, in demo mode beside the state of the demo account. Both are empty when
// nothing is to be kept.
func (a *App) stateFiles(cfg *config.Config) (log, keys string) {
	switch dir := a.stateDir(); {
	case cfg.Demo.On && cfg.Demo.State == "", !cfg.Demo.On && dir == "":
		return "", ""
	case cfg.Demo.On:
		return a.path(cfg.Demo.State) + ".changes", a.path(cfg.Demo.State) + ".key"
	default:
		return filepath.Join(dir, "state.db"), filepath.Join(dir, "key")
	}
}

// terminalClient is the name under which changes of the command line are recorded.
const terminalClient = "kite-mcp (command line)"

// newAudit opens the audit log that the settings ask for; nil when they do not.
func (a *App) newAudit() (*intent.Audit, error) {
	cfg, err := a.config()
	if err != nil {
		return nil, err
	}
	o := intent.AuditOptions{Now: a.proc.Now, Demo: cfg.Demo.On}
	switch cfg.AuditLog {
	case "":
		return nil, nil
	case "-": // never stdout: that is the protocol's
		return intent.AuditStream(a.proc.Err, o), nil
	default:
		return intent.AuditFile(a.path(cfg.AuditLog), o), nil
	}
}

// noteLogins returns what writes logins and their ends to the audit log; nil
// without one. A login that cannot be recorded is made all the same.
func (a *App) noteLogins(cfg *config.Config) (func(event, user string), error) {
	audit, err := a.audit()
	if audit == nil || err != nil {
		return nil, err
	}
	return func(event, user string) {
		if err := audit.Append(intent.Event{Kind: intent.EventKind(event), Account: user}); err != nil {
			a.log(cfg).Error("audit log", "event", event, "error", err)
		}
	}, nil
}

// changeLog is the log of changes and what seals it.
type changeLog struct {
	*intent.Log
	keys *store.Keys
}

// newChanges opens the log of changes. It is in memory for a demo account that
// is; without a place for a real one there is none, and so no change.
func (a *App) newChanges() (*changeLog, error) {
	cfg, err := a.config()
	if err != nil {
		return nil, err
	}
	audit, err := a.audit()
	if err != nil {
		return nil, err
	}
	path, keys := a.stateFiles(cfg)
	o := intent.Options{Now: a.proc.Now, Log: a.log(cfg), Audit: audit}
	switch {
	case path != "":
		o.Store, o.Keys = store.OpenFile(path, a.proc.Now), store.KeyFile(keys)
	case cfg.Demo.On:
		o.Store, o.Keys = store.Memory(a.proc.Now), store.RandomKeys()
	default:
		return nil, nil
	}
	return &changeLog{intent.New(o), o.Keys}, nil
}

// watchChanges looks for the outcomes that this or an earlier process lost,
// until ctx ends. A program that never changed anything asks Kite for nothing.
func (a *App) watchChanges(ctx context.Context, cfg *config.Config, env *tools.Env) {
	log, _ := a.changes() // env would have failed with it
	if log == nil {
		return
	}
	path, _ := a.stateFiles(cfg)
	log.Watch(ctx, func(ctx context.Context) (int, error) {
		if _, err := os.Stat(path); path == "" || errors.Is(err, fs.ErrNotExist) {
			return 0, nil
		}
		client, err := env.Kite.Client(ctx)
		if err != nil {
			return 0, err
		}
		// Asked every time: the login may be another one by now, and the books
		// of another account say that nothing was placed.
		profile, err := client.Profile(ctx)
		if err != nil {
			return 0, err
		}
		return log.Reconcile(ctx, profile.UserID, client.Books())
	})
}

// onTerminal asks the person at the terminal.
type onTerminal struct {
	app *App
	log tools.Intents
}

// Approve implements tools.Approver.
func (t onTerminal) Approve(ctx context.Context, p tools.Proposal) (tools.Approval, error) {
	answer := tools.Approval{IntentID: rand.Text()}
	message, err := p.Message(ctx)
	if err != nil {
		return tools.Approval{}, err
	}
	if t.app.canAsk() {
		if err := t.log.Asked(ctx, p.Intent(answer.IntentID)); err != nil {
			return tools.Approval{}, err
		}
	}
	yes, err := t.app.ask(ctx, message+"\n"+p.Title+"?")
	if err != nil {
		return tools.Approval{}, err
	}
	if !yes {
		return answer, &tools.Failure{Code: tools.CodeApprovalDeclined, Message: "the change was declined; nothing was sent to Kite"}
	}
	return answer, nil
}
