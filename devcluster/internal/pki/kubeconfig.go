package pki

import (
	"fmt"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Access is what a kubeconfig says: where an API server is, and as whom to speak to it.
type Access struct {
	Name      string // of cluster, user and context
	Server    string
	Authority []byte
	Client    Pair
}

// WriteKubeconfig writes access as a kubeconfig readable by its owner only.
func (a Access) WriteKubeconfig(path string) error {
	config := clientcmdapi.NewConfig()
	config.Clusters[a.Name] = &clientcmdapi.Cluster{Server: a.Server, CertificateAuthorityData: a.Authority}
	config.AuthInfos[a.Name] = &clientcmdapi.AuthInfo{
		ClientCertificateData: a.Client.Certificate, ClientKeyData: a.Client.Key,
	}
	config.Contexts[a.Name] = &clientcmdapi.Context{Cluster: a.Name, AuthInfo: a.Name}
	config.CurrentContext = a.Name
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		return fmt.Errorf("writing kubeconfig: %w", err)
	}
	return nil
}
