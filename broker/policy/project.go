package policy

import (
	"context"

	"github.com/aoctl/aoctl/broker"
	"github.com/aoctl/aoctl/broker/workspace"
)

// ProjectAt is what is known of the project whose folder is dir. It looks at the disk.
func (rs *Rulings) ProjectAt(_ context.Context, dir string) broker.Project {
	root := workspace.ProjectRoot(dir, rs.policy.Home)
	if root == "" {
		return broker.Project{}
	}
	return broker.Project{Path: root, Holds: workspace.Holds(root), NoGit: !workspace.InRepository(root)}
}
