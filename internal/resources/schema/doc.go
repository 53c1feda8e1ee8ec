// Package schema compares descriptors with what the services' own schemas say.
//
// The schemas of a release are in releases/<release>/schemas, one file for each service, with the fields that
// requests to make and to change a resource take and that answers show, and with what is in objects and lists of
// objects where the service's schema says so (JSON schemas, Neutron's validators of dictionaries). extract.py reads
// them from the services' Python packages: unpack python3-nova, python3-neutron, python3-neutron-lib, python3-cinder,
// python3-glance, python3-octavia, python3-octavia-lib, python3-designate, python3-barbican, python3-heat,
// python3-placement and python3-keystone of the release (dpkg-deb -x) and run
//
//	python3 internal/resources/schema/extract.py FOLDER/usr/lib/python3/dist-packages releases/epoxy/schemas
package schema
