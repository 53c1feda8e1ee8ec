package service

import (
	"cmp"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/step"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
)

// deleteData is the deletion policy that drops data with its object.
const deleteData = string(infrav1.DeleteData)

// DatabaseStep asks for the service's database, with an account of its own.
func (s Service[T]) DatabaseStep(o ...step.Option[T]) step.Step[T] {
	return step.Objects(StepDatabase, func(sc *step.Scope[T]) ([]client.Object, error) {
		want := s.Database(sc.Owner())
		d := &infrav1.Database{ObjectMeta: s.meta(sc.Owner(), sc.Owner().GetName())}
		d.Spec.Galera = want.Galera
		d.Spec.DeletionPolicy = infrav1.DeletionPolicy(cmp.Or(want.DeletionPolicy, string(infrav1.RetainData)))
		return []client.Object{d}, nil
	}, append(o, step.Makes[T](&infrav1.Database{}), step.Condition[T]("DatabaseReady"),
		step.Component[T](ComponentSetup))...)
}

// BusStep asks for the service's message bus, if the service uses one.
func (s Service[T]) BusStep(o ...step.Option[T]) step.Step[T] {
	return step.Objects(StepBus, func(sc *step.Scope[T]) ([]client.Object, error) {
		b := &infrav1.MessageBus{ObjectMeta: s.meta(sc.Owner(), sc.Owner().GetName())}
		b.Spec.RabbitMQ, b.Spec.Listener = s.rabbitMQ(sc.Owner()), s.Notifies != nil && s.Notifies(sc.Owner())
		return []client.Object{b}, nil
	}, append(o, step.Makes[T](&infrav1.MessageBus{}), step.Condition[T]("MessageBusReady"),
		step.When(func(o T) bool { return s.rabbitMQ(o) != "" }), step.Component[T](ComponentSetup))...)
}

// meta is the metadata of an object that belongs to the whole service.
func (s Service[T]) meta(o T, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: o.GetNamespace(), Labels: s.Labels(o, "")}
}
