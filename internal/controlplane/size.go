package controlplane

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
)

// part is what a size gives to one service. A service's own fields win over it.
type part struct {
	replicas    int32
	workers     int32
	cpu, memory string // requests
	limit       string // of memory; empty is none
	storage     string
}

// sizing is what a size gives to all services, and to each worker of one.
type sizing struct {
	galera, rabbitmq, memcached, keystone, glance, placement, ovn, neutron, nova, barbican, heat, cinder, horizon,
	worker part
}

// sizes: dev fits a machine of 8 GiB beside Kubernetes; the others grow with the number of hypervisors. Only memory has
// limits: a limit of CPU slows down a member of a cluster until its peers take it for dead. Requests of CPU are shares
// of a busy machine: all services ask Keystone, which asks its cache for each token some twenty times, and its
// database, so these three come before what merely starts.
func sizes(s controlplanev1.Size) sizing {
	switch s {
	case controlplanev1.SizeDev:
		return sizing{
			galera:    part{replicas: 1, cpu: "200m", memory: "256Mi", storage: "5Gi"},
			rabbitmq:  part{replicas: 1, cpu: "100m", memory: "192Mi", storage: "1Gi"},
			memcached: part{replicas: 1, cpu: "100m", memory: "96Mi"},
			keystone:  part{replicas: 1, workers: 2, cpu: "300m", memory: "256Mi"},
			glance:    part{replicas: 1, workers: 1, cpu: "10m", memory: "256Mi", storage: "10Gi"},
			placement: part{replicas: 1, workers: 1, cpu: "10m", memory: "192Mi"},
			ovn:       part{replicas: 1, cpu: "10m", memory: "32Mi", storage: "1Gi"},
			neutron:   part{replicas: 1, workers: 2, cpu: "15m", memory: "384Mi"},
			nova:      part{replicas: 1, workers: 2, cpu: "15m", memory: "320Mi"},
			barbican:  part{replicas: 1, workers: 1, cpu: "10m", memory: "192Mi"},
			heat:      part{replicas: 1, workers: 2, cpu: "10m", memory: "256Mi"},
			cinder:    part{replicas: 1, workers: 2, cpu: "15m", memory: "320Mi"},
			horizon:   part{replicas: 1, workers: 1, cpu: "10m", memory: "256Mi"},
			worker:    part{replicas: 1, cpu: "5m", memory: "160Mi"},
		}
	case controlplanev1.SizeMedium:
		return sizing{
			galera:    part{replicas: 3, cpu: "1", memory: "4Gi", limit: "6Gi", storage: "50Gi"},
			rabbitmq:  part{replicas: 3, cpu: "500m", memory: "2Gi", limit: "3Gi", storage: "10Gi"},
			memcached: part{replicas: 3, cpu: "250m", memory: "1Gi", limit: "1280Mi"},
			keystone:  part{replicas: 3, workers: 4, cpu: "500m", memory: "768Mi", limit: "1536Mi"},
			glance:    part{replicas: 3, workers: 4, cpu: "500m", memory: "768Mi", limit: "2Gi", storage: "500Gi"},
			placement: part{replicas: 3, workers: 4, cpu: "500m", memory: "512Mi", limit: "1Gi"},
			ovn:       part{replicas: 3, cpu: "200m", memory: "512Mi", limit: "2Gi", storage: "10Gi"},
			neutron:   part{replicas: 3, workers: 4, cpu: "500m", memory: "1Gi", limit: "2Gi"},
			nova:      part{replicas: 3, workers: 4, cpu: "500m", memory: "1Gi", limit: "2Gi"},
			barbican:  part{replicas: 3, workers: 2, cpu: "100m", memory: "384Mi", limit: "1Gi"},
			heat:      part{replicas: 3, workers: 4, cpu: "200m", memory: "768Mi", limit: "2Gi"},
			cinder:    part{replicas: 3, workers: 4, cpu: "500m", memory: "1Gi", limit: "2Gi"},
			horizon:   part{replicas: 3, workers: 4, cpu: "200m", memory: "1Gi", limit: "2Gi"},
			worker:    part{replicas: 2, cpu: "200m", memory: "256Mi", limit: "1Gi"},
		}
	case controlplanev1.SizeLarge:
		return sizing{
			galera:    part{replicas: 3, cpu: "4", memory: "16Gi", limit: "20Gi", storage: "200Gi"},
			rabbitmq:  part{replicas: 3, cpu: "2", memory: "6Gi", limit: "8Gi", storage: "20Gi"},
			memcached: part{replicas: 3, cpu: "500m", memory: "4Gi", limit: "5Gi"},
			keystone:  part{replicas: 5, workers: 8, cpu: "2", memory: "1536Mi", limit: "3Gi"},
			glance:    part{replicas: 3, workers: 8, cpu: "2", memory: "1536Mi", limit: "4Gi", storage: "2Ti"},
			placement: part{replicas: 3, workers: 8, cpu: "2", memory: "1Gi", limit: "2Gi"},
			ovn:       part{replicas: 3, cpu: "1", memory: "2Gi", limit: "8Gi", storage: "20Gi"},
			neutron:   part{replicas: 3, workers: 8, cpu: "2", memory: "2Gi", limit: "4Gi"},
			nova:      part{replicas: 3, workers: 8, cpu: "2", memory: "2Gi", limit: "4Gi"},
			barbican:  part{replicas: 3, workers: 4, cpu: "500m", memory: "768Mi", limit: "2Gi"},
			heat:      part{replicas: 3, workers: 8, cpu: "1", memory: "1536Mi", limit: "4Gi"},
			cinder:    part{replicas: 3, workers: 8, cpu: "2", memory: "2Gi", limit: "4Gi"},
			horizon:   part{replicas: 3, workers: 8, cpu: "1", memory: "2Gi", limit: "4Gi"},
			worker:    part{replicas: 3, cpu: "500m", memory: "512Mi", limit: "2Gi"},
		}
	}
	return small()
}

// small is the size that a control plane has unless it says another.
func small() sizing {
	return sizing{
		galera:    part{replicas: 3, cpu: "250m", memory: "1Gi", limit: "2Gi", storage: "20Gi"},
		rabbitmq:  part{replicas: 3, cpu: "100m", memory: "512Mi", limit: "1Gi", storage: "5Gi"},
		memcached: part{replicas: 2, cpu: "100m", memory: "256Mi", limit: "320Mi"},
		keystone:  part{replicas: 2, workers: 2, cpu: "300m", memory: "384Mi", limit: "1Gi"},
		glance:    part{replicas: 2, workers: 2, cpu: "100m", memory: "384Mi", limit: "1Gi", storage: "100Gi"},
		placement: part{replicas: 2, workers: 2, cpu: "100m", memory: "256Mi", limit: "512Mi"},
		ovn:       part{replicas: 3, cpu: "50m", memory: "128Mi", limit: "512Mi", storage: "5Gi"},
		neutron:   part{replicas: 2, workers: 2, cpu: "100m", memory: "512Mi", limit: "1Gi"},
		nova:      part{replicas: 2, workers: 2, cpu: "100m", memory: "512Mi", limit: "1Gi"},
		barbican:  part{replicas: 2, workers: 2, cpu: "50m", memory: "256Mi", limit: "512Mi"},
		heat:      part{replicas: 2, workers: 2, cpu: "50m", memory: "384Mi", limit: "1Gi"},
		cinder:    part{replicas: 2, workers: 2, cpu: "100m", memory: "512Mi", limit: "1Gi"},
		horizon:   part{replicas: 2, workers: 2, cpu: "50m", memory: "512Mi", limit: "1Gi"},
		worker:    part{replicas: 2, cpu: "50m", memory: "192Mi", limit: "512Mi"},
	}
}

// resources returns what a person asked for, or else what the size gives.
func (p part) resources(asked corev1.ResourceRequirements) corev1.ResourceRequirements {
	if len(asked.Requests) > 0 || len(asked.Limits) > 0 {
		return asked
	}
	r := corev1.ResourceRequirements{Requests: corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse(p.cpu), corev1.ResourceMemory: resource.MustParse(p.memory),
	}}
	if p.limit != "" {
		r.Limits = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(p.limit)}
	}
	return r
}

// volume returns the size of a volume that a person asked for, or else the one of the size.
func (p part) volume(asked *resource.Quantity) resource.Quantity {
	if asked != nil {
		return *asked
	}
	return resource.MustParse(p.storage)
}

// count returns the replicas that a person asked for, or else those of the size.
func (p part) count(asked *int32) int32 {
	if asked != nil {
		return *asked
	}
	return p.replicas
}
