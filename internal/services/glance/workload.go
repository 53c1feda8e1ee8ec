package glance

import "stackwright.dev/stackwright/internal/service"

const configPath = service.Folder + "/config/" + configFile

// makeOrExpand makes a schema, or adds to one that is there what the release needs; older pods go on with it. Only what
// has once been complete has a revision of the branch contract: expanding one that is not would make triggers for older
// pods, which an account without the rights of an administrator must not while there is a binary log.
const makeOrExpand = `db() { glance-manage --config-file "$0" db "$1"; }
had=$(db version)
case "$had" in
*contract*) db expand; db migrate ;;
*) db sync ;;
esac`

func expand(*scope) (pod, error) {
	return pod{Component: stepExpand, Alone: true, Command: []string{"sh", "-ec", makeOrExpand, configPath}}, nil
}

// metadefs fills the catalog of properties that images and flavors may have. What is there already stays.
func metadefs(*scope) (pod, error) {
	return pod{Component: stepMetadefs, Alone: true, Command: manage("load_metadefs")}, nil
}

// contract removes from the schema what only older releases needed. It runs when no older pod is left.
func contract(*scope) (pod, error) {
	return pod{Component: stepContract, Alone: true, Command: manage("contract")}, nil
}

// manage is the command line of glance-manage about the database.
func manage(action string) []string {
	return []string{"glance-manage", "--config-file", configPath, "db", action}
}
