// Command pause is the first process of every pod: it holds the pod's namespaces and does nothing.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// In a pod that shares its process namespace, orphans become our children; ignored, the kernel buries them.
	signal.Ignore(syscall.SIGCHLD)
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	<-stop
}
