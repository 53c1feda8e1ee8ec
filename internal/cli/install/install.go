package install

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"time"

	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/kube"
	releasecommon "helm.sh/helm/v4/pkg/release/common"
	release "helm.sh/helm/v4/pkg/release/v1"
	"helm.sh/helm/v4/pkg/storage/driver"
	"k8s.io/cli-runtime/pkg/genericclioptions"
)

// Operator is the installation of the operators in one cluster.
type Operator struct {
	// Getter reaches the cluster.
	Getter genericclioptions.RESTClientGetter
	// Namespace and Name of the Helm release.
	Namespace, Name string
	// Log receives what Helm says.
	Log *slog.Logger
	// Timeout for the operators to become ready.
	Timeout time.Duration
}

// chartLabel notes on a release which files of the chart made it.
const chartLabel = "stackwright.dev/chart"

// Apply installs the operators, or upgrades them where chart or values differ. It tells whether it did anything.
func (o Operator) Apply(ctx context.Context, values map[string]any) (bool, error) {
	chart, digest, err := load()
	if err != nil {
		return false, err
	}
	cfg, err := o.configuration()
	if err != nil {
		return false, err
	}
	last, err := o.last(cfg)
	if err != nil {
		return false, err
	}
	labels := map[string]string{chartLabel: digest}
	switch {
	case last == nil:
		install := action.NewInstall(cfg)
		install.ReleaseName, install.Namespace, install.CreateNamespace = o.Name, o.Namespace, true
		install.SkipCRDs, install.ForceConflicts, install.Labels = true, true, labels
		install.WaitStrategy, install.Timeout = kube.StatusWatcherStrategy, o.Timeout
		_, err = install.RunWithContext(ctx, chart, values)
	case current(last, digest, values):
		return false, nil
	default:
		upgrade := action.NewUpgrade(cfg)
		upgrade.Namespace, upgrade.SkipCRDs, upgrade.ForceConflicts = o.Namespace, true, true
		upgrade.ServerSideApply, upgrade.Labels, upgrade.MaxHistory = "true", labels, 3
		upgrade.ResetValues = true
		upgrade.WaitStrategy, upgrade.Timeout = kube.StatusWatcherStrategy, o.Timeout
		_, err = upgrade.RunWithContext(ctx, o.Name, chart, values)
	}
	if err != nil {
		return false, fmt.Errorf("installing chart %s in namespace %s: %w", o.Name, o.Namespace, err)
	}
	return true, nil
}

// Remove uninstalls the operators; nothing installed is success.
func (o Operator) Remove() error {
	cfg, err := o.configuration()
	if err != nil {
		return err
	}
	uninstall := action.NewUninstall(cfg)
	uninstall.IgnoreNotFound, uninstall.Timeout = true, o.Timeout
	uninstall.WaitStrategy = kube.StatusWatcherStrategy
	if _, err := uninstall.Run(o.Name); err != nil && !errors.Is(err, driver.ErrReleaseNotFound) {
		return fmt.Errorf("uninstalling chart %s in namespace %s: %w", o.Name, o.Namespace, err)
	}
	return nil
}

func (o Operator) configuration() (*action.Configuration, error) {
	cfg := action.NewConfiguration(action.ConfigurationSetLogger(o.Log.Handler()))
	if err := cfg.Init(o.Getter, o.Namespace, "secret"); err != nil {
		return nil, fmt.Errorf("preparing Helm: %w", err)
	}
	return cfg, nil
}

// last returns the newest revision of the release, nil when there is none.
func (o Operator) last(cfg *action.Configuration) (*release.Release, error) {
	got, err := action.NewGet(cfg).Run(o.Name)
	if errors.Is(err, driver.ErrReleaseNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("looking for an installed chart %s: %w", o.Name, err)
	}
	rel, ok := got.(*release.Release)
	if !ok {
		return nil, fmt.Errorf("release %s was made by another version of Helm (%T); uninstall it first", o.Name, got)
	}
	return rel, nil
}

func current(last *release.Release, digest string, values map[string]any) bool {
	return last.Info != nil && last.Info.Status == releasecommon.StatusDeployed &&
		last.Labels[chartLabel] == digest && reflect.DeepEqual(last.Config, values)
}
