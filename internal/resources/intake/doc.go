// Package intake makes objects for what exists in a cloud already, by the descriptors alone: names, declared fields,
// references among each other. What an object of the cluster stands for already is left alone.
package intake
