package rabbitmq

import (
	"context"
	"slices"
	"strings"
	"time"

	"stackwright.dev/kit/outcome"

	wire "stackwright.dev/stackwright/internal/agent/member"
	"stackwright.dev/stackwright/internal/infra/member"
)

// How often members that serve are asked for alarms, and those that have some. A member with an alarm is ready, as only
// its consumers can make room; so nothing but its agent tells.
const (
	lookEvery  = time.Minute
	alarmEvery = 5 * time.Second
)

// alarms tells of members that run short of something. One of them stops the publishers of all. New pods do not wait
// for it: they may be what gives the broker more.
func alarms(cluster member.Raft[object]) func(context.Context, *scope) *outcome.Outcome {
	return func(ctx context.Context, s *scope) *outcome.Outcome {
		m, err := cluster.Connect(s)
		if err != nil {
			return outcome.FromError(err)
		}
		defer m.Close()
		short := map[wire.Alarm][]string{}
		pods := member.Pods(s.Owner().Name, s.Owner().Spec.Replicas)
		states := m.Observe(ctx, pods)
		for _, pod := range pods {
			for _, a := range states[pod].Service.Alarms {
				short[a] = append(short[a], pod)
			}
		}
		return tell(short)
	}
}

// tell says what a person can do about members that run short. A member that does not answer is another step's matter.
func tell(short map[wire.Alarm][]string) *outcome.Outcome {
	var o *outcome.Outcome
	const meanwhile = "Consumers go on and empty the queues, nothing is lost, and publishers go on by themselves."
	disk, memory := slices.Sorted(slices.Values(short[wire.Disk])), slices.Sorted(slices.Values(short[wire.Memory]))
	switch {
	case len(disk) > 0:
		o = outcome.Poll(alarmEvery, "PersistentVolumeClaim data-"+disk[0], "Publishers are stopped, because there is "+
			"almost no room left on the volumes of %s; raise spec.storage.size, for which the storage class has to allow "+
			"expansion. %s", strings.Join(disk, ", "), meanwhile)
		o.Reason = "VolumeFull"
	case len(memory) > 0:
		o = outcome.Poll(alarmEvery, "memory of Pod "+memory[0], "Publishers are stopped, because the brokers of %s have "+
			"taken the memory they may have; raise spec.resources.limits.memory. %s", strings.Join(memory, ", "), meanwhile)
		o.Reason = "MemoryFull"
	}
	return o
}
