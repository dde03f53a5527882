package install

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aoctl/aoctl/hookclient/install/installtest"
)

func TestWarnings(t *testing.T) {
	o, path := home(t)
	shared := filepath.Join(os.Getenv("HOME"), "work", ".claude", "settings.json")
	local := filepath.Join(os.Getenv("HOME"), "work", ".claude", "settings.local.json")
	managed := filepath.Join(o.ManagedDir, "managed-settings.json")
	more := filepath.Join(o.ManagedDir, "managed-settings.d", "10.json")
	install(t, o)
	if r := install(t, o); len(r.Warnings) > 0 {
		t.Fatalf("warnings for nothing: %q", r.Warnings)
	}
	clean := installtest.Read(t, path)
	for name, tc := range map[string]struct{ file, text, want string }{
		"own":         {path, strings.Replace(clean, "{", "{\n  \"disableAllHooks\": true,", 1), path + ` has "disableAllHooks": true`},
		"project":     {shared, `{"disableAllHooks": true}`, shared + ` has "disableAllHooks": true`},
		"local":       {local, `{"disableAllHooks": true}`, local + ` has "disableAllHooks": true`},
		"not at all":  {local, `{"disableAllHooks": false}`, ""},
		"broken":      {local, "{\n  \"a\": 1,\n}", local + ":2:9: a comma before the closing '}'; Claude Code ignores this whole file"},
		"bad type":    {shared, `{"model": 5}`, shared + ":1:11: \"model\" should be a string, this is a number; Claude Code ignores this whole file"},
		"bad list":    {shared, `{"permissions": {"deny": "x"}}`, shared + ":1:26: \"permissions.deny\" should be an array"},
		"bad mode":    {shared, `{"permissions": {"defaultMode": "yolo"}}`, shared + ":1:33: Claude Code may not know the permission mode \"yolo\""},
		"good types":  {shared, `{"model": "opus", "permissions": {"allow": [], "defaultMode": "plan"}, "verbose": true, "env": {}}`, ""},
		"null":        {shared, `{"env": null}`, shared + ":1:9: \"env\" should be an object, this is null"},
		"managed":     {managed, `{"allowManagedHooksOnly": true}`, managed + ` has "allowManagedHooksOnly"`},
		"managed.d":   {more, `{"allowManagedHooksOnly": true}`, more + ` has "allowManagedHooksOnly"`},
		"not managed": {shared, `{"allowManagedHooksOnly": true}`, ""},
		"sibling":     {shared, installtest.HookOn("PreToolUse", "fmt"), shared + " has other hooks on PreToolUse (1)"},
		"elsewhere":   {shared, installtest.HookOn("Stop", "fmt"), ""},
		"own form":    {shared, installtest.HookOn("Stop", "aoctl hook claude | cat"), shared + ":1: a hook on Stop calls aoctl in a form"},
		"double":      {local, installtest.HookOn("PermissionRequest", "aoctl hook claude"), local + ":1: another installation of aoctl, on PermissionRequest"},
		"unreadable":  {filepath.Join(local, "x"), "", "cannot tell what is in " + local},
	} {
		t.Run(name, func(t *testing.T) {
			installtest.Put(t, tc.file, tc.text)
			r := install(t, o)
			switch {
			case tc.want == "" && len(r.Warnings) > 0:
				t.Errorf("warnings %q, want none", r.Warnings)
			case tc.want != "" && (len(r.Warnings) != 1 || !strings.HasPrefix(r.Warnings[0], tc.want)):
				t.Errorf("warnings %q, want one that begins %q", r.Warnings, tc.want)
			}
			installtest.Put(t, path, clean)
			if err := errors.Join(os.RemoveAll(filepath.Dir(shared)), os.RemoveAll(o.ManagedDir)); err != nil {
				t.Fatal(err)
			}
		})
	}
	t.Run("program", func(t *testing.T) {
		o := o
		o.Program.Path = filepath.Join(os.TempDir(), "aoctl-hook")
		if r := install(t, o); len(r.Warnings) != 2 {
			t.Errorf("warnings %q; want: cannot be run, lies in the temporary folder", r.Warnings)
		}
	})
}

func TestUninstallTellsOfOthers(t *testing.T) {
	o, path := home(t)
	install(t, o)
	o.Scope = Project
	install(t, o)
	if r := uninstall(t, o); len(r.Warnings) != 1 || r.Warnings[0] != "aoctl is still installed in "+path {
		t.Errorf("warnings %q", r.Warnings)
	}
	o.Scope = User
	if r := uninstall(t, o); len(r.Warnings) != 0 {
		t.Errorf("warnings %q, want none", r.Warnings)
	}
	t.Chdir(os.Getenv("HOME")) // the project's shared file is the user's
	o.Scope = Project
	install(t, o)
	o.Scope, o.File = File, "other.json"
	if r := install(t, o); len(r.Warnings) != 0 {
		t.Errorf("warnings %q, want none", r.Warnings)
	}
}
