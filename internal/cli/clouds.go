package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
)

// The keys of the Secret of Keystone's operator, and the files made of them.
const (
	cloudsFile = "clouds.yaml"
	caFile     = "ca.crt"
)

func (a *app) clouds() *cobra.Command {
	return &cobra.Command{
		Use:   "clouds-yaml",
		Short: "Print clouds.yaml for clients of OpenStack on this machine",
		Long: `Print clouds.yaml for clients of OpenStack on this machine.

The same is written to the state folder of stackwright, beside the certificate that it refers to; no file of yours is
touched. It holds the administrator's password.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.client()
			if err != nil {
				return err
			}
			o, err := a.find(cmd.Context(), c)
			if err != nil {
				return err
			}
			file, data, err := a.writeClouds(cmd.Context(), c, o)
			if err != nil {
				return err
			}
			fmt.Fprint(a.out, string(data))
			fmt.Fprintf(a.err, "# export OS_CLIENT_CONFIG_FILE=%s\n", file)
			return nil
		},
	}
}

// writeClouds writes clouds.yaml and the certificate that it refers to into the cloud's folder.
func (a *app) writeClouds(ctx context.Context, c client.Reader,
	o *controlplanev1.OpenStackControlPlane) (string, []byte, error) {
	if o.Status.Clouds == "" {
		return "", nil, errors.New("the control plane has no clouds.yaml yet; see what it waits for: stackwright why")
	}
	s := &corev1.Secret{}
	if err := c.Get(ctx, client.ObjectKey{Namespace: o.Namespace, Name: o.Status.Clouds}, s); err != nil {
		if apierrors.IsForbidden(err) {
			return "", nil, fmt.Errorf("%w; ask for the right to get Secret %s: it holds the administrator's password", err,
				o.Status.Clouds)
		}
		return "", nil, fmt.Errorf("reading clouds.yaml: %w", err)
	}
	dir, err := a.place(client.ObjectKeyFromObject(o))
	if err != nil {
		return "", nil, err
	}
	data, err := localClouds(s.Data[cloudsFile], s.Data[caFile], filepath.Join(dir, caFile))
	if err != nil {
		return "", nil, fmt.Errorf("reading Secret %s: %w", s.Name, err)
	}
	if ca := s.Data[caFile]; len(ca) > 0 {
		if err := writeFile(filepath.Join(dir, caFile), ca); err != nil {
			return "", nil, err
		}
	}
	path := filepath.Join(dir, cloudsFile)
	return path, data, writeFile(path, data)
}

// localClouds makes the certificate's path, which is that of a pod, one of this machine.
func localClouds(data, ca []byte, path string) ([]byte, error) {
	var file map[string]any
	if err := yaml.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("parsing clouds.yaml: %w", err)
	}
	clouds, ok := file["clouds"].(map[string]any)
	if !ok {
		return nil, errors.New("clouds.yaml has no clouds")
	}
	for _, v := range clouds {
		cloud, ok := v.(map[string]any)
		if !ok {
			continue
		}
		delete(cloud, "cacert")
		if len(ca) > 0 {
			cloud["cacert"] = path
		}
	}
	out, err := yaml.Marshal(file)
	if err != nil {
		return nil, fmt.Errorf("encoding clouds.yaml: %w", err)
	}
	return out, nil
}
