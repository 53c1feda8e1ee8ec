package glance_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/service/servicetest"
)

// far is a store in a bucket, whose keys are in testdata/given.yaml.
const far = "{name: far, s3: {endpoint: 'https://s3.example.org', bucket: images, secret: bucket-glance, " +
	"region: eu-central-1, addressing: Path}}"

// Stores of all kinds serve at once. The keys of a bucket are in the file of the configuration, and the module that
// keeps them out of the addresses of images is loaded.
func TestStoresInBuckets(t *testing.T) {
	s := kind().Scenario(t, "spec: {config: {far: {s3_store_large_object_size: 50}}, stores: ["+far+
		", {name: near, file: {}}, {name: ceph, rbd: {secret: ceph-glance, pool: images}}]}")
	s.Files = append(s.Files, "testdata/given.yaml")
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		config := servicetest.Secret(p, "glance-config")
		for file, wants := range map[string][]string{
			"glance-api.conf": {
				"enabled_backends = far:s3,near:file,ceph:rbd\n", "default_backend = far\n",
				"[far]\ns3_store_access_key = AKIA\ns3_store_bucket = images\ns3_store_bucket_url_format = path\n" +
					"s3_store_cacert = /etc/stackwright/config/s3-far-ca.crt\ns3_store_host = https://s3.example.org\n" +
					"s3_store_large_object_size = 50\ns3_store_region_name = eu-central-1\ns3_store_secret_key = s$$cr/et\n",
				"[os_glance_staging_store]\nfilesystem_store_datadir = /var/lib/glance/stores/near/staging\n",
			},
			"uwsgi.ini":         {"\nimport = stackwright_s3\n"},
			"stackwright_s3.py": {"s3.StoreLocation"},
			"s3-far-ca.crt":     {"-----BEGIN CERTIFICATE-----"},
		} {
			for _, want := range wants {
				if !strings.Contains(config[file], want) {
					t.Errorf("%s lacks\n%s\nit is\n%s", file, want, config[file])
				}
			}
		}
		if strings.Contains(p.Applied(), "AKIA") {
			t.Error("the access key is somewhere else than in a Secret")
		}
	})
}

// The keys in a new Secret are taken up: they are in the configuration, which the pods change to.
func TestKeysOfABucketAreReplaced(t *testing.T) {
	s := kind().Scenario(t, "spec: {stores: ["+far+"]}")
	s.Files = append(s.Files, "testdata/given.yaml")
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		before := servicetest.Secret(p, "glance-config")["hash"]
		p.Change("Secret/cloud/bucket-glance", "data.AWS_SECRET_ACCESS_KEY", "bmV3")
		p.Settle()
		p.Ready()
		config := servicetest.Secret(p, "glance-config")
		if !strings.Contains(config["glance-api.conf"], "s3_store_secret_key = new\n") || config["hash"] == before {
			t.Errorf("the configuration has not the new key:\n%s", config["glance-api.conf"])
		}
	})
}

// What a store's Secret lacks is said by the store's condition, with what to do.
func TestSecretsOfBucketsAreChecked(t *testing.T) {
	for name, c := range map[string]struct {
		data   map[string][]byte
		reason string
		want   string
	}{
		"none": {nil, "", "bucket-glance"},
		"no access key": {map[string][]byte{"AWS_SECRET_ACCESS_KEY": []byte("s")}, "InvalidStore",
			"store far: the Secret bucket-glance has no AWS_ACCESS_KEY_ID; add the access key"},
		"no secret key": {map[string][]byte{"AWS_ACCESS_KEY_ID": []byte("a"), "AWS_SECRET_ACCESS_KEY": []byte(" \n")},
			"InvalidStore", "the Secret bucket-glance has no AWS_SECRET_ACCESS_KEY; add the secret key that belongs to"},
		"two lines": {map[string][]byte{"AWS_ACCESS_KEY_ID": []byte("a"), "AWS_SECRET_ACCESS_KEY": []byte("s\nb = c")},
			"InvalidStore", "has a key of several lines"},
		"no certificate": {map[string][]byte{"AWS_ACCESS_KEY_ID": []byte("a"), "AWS_SECRET_ACCESS_KEY": []byte("hush"),
			"ca.crt": []byte("/etc/ssl/ca.pem")}, "InvalidStore", "has no certificate in ca.crt; put that of the endpoint's"},
	} {
		t.Run(name, func(t *testing.T) {
			s := kind().Scenario(t, "spec: {stores: ["+far+"]}")
			kittest.New(t, s).Run(t, func(p *kittest.Play) {
				if c.data != nil {
					secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "cloud", Name: "bucket-glance"}, Data: c.data}
					servicetest.Must(t, p.Client.Create(t.Context(), secret))
				}
				p.Settle()
				got := p.Condition(kind().Object, "StoresReady")
				if got.Status != "False" || !strings.Contains(got.Message, c.want) ||
					(c.reason != "" && got.Reason != c.reason) || strings.Contains(got.Message, "hush") {
					t.Errorf("StoresReady is %s, %s: %s; want %s", got.Status, got.Reason, got.Message, c.want)
				}
				if p.Object("Deployment/cloud/glance-api") != nil {
					t.Error("the API runs without its store")
				}
			})
		})
	}
}

// A cache is a volume of each pod, smaller than which it is kept by the program that runs the API. It ties no pod to a
// node.
func TestACacheIsKeptSmall(t *testing.T) {
	kittest.New(t, kind().Scenario(t, "spec: {cache: {size: 10Gi}, projectQuota: 1.5Gi}")).Run(t, func(p *kittest.Play) {
		p.Ready()
		config := servicetest.Secret(p, "glance-config")
		for file, wants := range map[string][]string{
			"glance-api.conf": {"flavor = keystone+caching\n", "image_cache_dir = /var/lib/glance/cache\n",
				"image_cache_driver = xattr\n", "image_cache_max_size = 8589934592\n", "user_storage_quota = 1610612736\n"},
			"uwsgi.ini": {
				"\ncron2 = minute=-5,unique=1 glance-cache-cleaner --config-file /etc/stackwright/config/glance-api.conf\n",
				"\ncron2 = minute=-5,unique=1 glance-cache-pruner --config-file /etc/stackwright/config/glance-api.conf\n"},
		} {
			for _, want := range wants {
				if !strings.Contains(config[file], want) {
					t.Errorf("%s lacks\n%s\nit is\n%s", file, want, config[file])
				}
			}
		}
	})
}
