//go:build e2e

package image

import (
	"os"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/yaml"

	"stackwright.dev/stackwright/internal/image/layer"
)

// forgets makes a Barbican with secrets of three projects, of which two were deleted, and prints what is in its
// database before and after each of two nights.
const forgets = `
import datetime, os, subprocess, sys
os.environ['HOME'] = '/tmp'
with open('/tmp/barbican.conf', 'w') as f:
    f.write('[database]\nconnection = sqlite:////tmp/db\n')
subprocess.run(['barbican-manage', 'db', 'upgrade'], check=True, capture_output=True)

from barbican.model import models, repositories
repositories.setup_database_engine_and_factory()

def look():
    repositories.start()
    rows = repositories.get_session().query
    print('secrets', *sorted(s.name for s in rows(models.Secret)),
          'of projects', *sorted(p.external_id for p in rows(models.Project)))
    repositories.clear()

repositories.start()
for name, days in ('kept', None), ('late', 29), ('old', 31):
    project = models.Project()
    project.external_id = name
    repositories.get_project_repository().create_from(project)
    secret = models.Secret(dict(name=name, secret_type='opaque'))
    secret.project_id = project.id
    repositories.get_secret_repository().create_from(secret)
    if days:
        secret.delete()
        secret.deleted_at = datetime.datetime.now() - datetime.timedelta(days=days)
repositories.commit()
repositories.clear()
look()
for _ in range(2):
    subprocess.run(sys.argv[1:], check=True, capture_output=True)
    look()
`

// What was deleted longer ago than is asked for goes from the database, and in the next night the project that has
// nothing any more.
func TestBarbicanForgets(t *testing.T) {
	golden, err := os.ReadFile("../../../internal/services/barbican/testdata/minimal.yaml")
	must(t, err)
	documents := strings.Split(string(golden), "\n---\n")
	at := slices.IndexFunc(documents, func(d string) bool { return strings.Contains(d, "\nkind: CronJob\n") })
	var night batchv1.CronJob
	must(t, yaml.Unmarshal([]byte(documents[at]), &night))
	command := night.Spec.JobTemplate.Spec.Template.Spec.Containers[0].Command
	out, err := layer.Exec(t.Context(), stored(t, build(t, "", "").Images["barbican"]), "",
		append([]string{"python3", "-c", forgets}, command...)...)
	must(t, err)
	const want = `secrets kept late old of projects kept late old
secrets kept late of projects kept late old
secrets kept late of projects kept late
`
	if string(out) != want {
		t.Errorf("after %v the database has\n%s\nwant\n%s", command, out, want)
	}
}
