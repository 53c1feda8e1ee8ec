package resources_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/openstack/fake"
)

// The cloud fetches what it can, and the operator brings the rest.
func TestImageData(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = io.WriteString(z, imageData)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	gz := packed.String()
	for name, c := range map[string]struct {
		site     string
		download map[string]any
		seed     func(*fake.Cloud)
		imports  int
		uploads  bool
	}{
		"import": {site: imageData, download: map[string]any{}, imports: 1},
		"hash":   {site: imageData, download: hashed(imageData), uploads: true},
		"packed": {site: gz, download: map[string]any{"decompress": "gz"}, uploads: true},
		"not offered": {site: imageData, download: map[string]any{}, uploads: true,
			seed: func(c *fake.Cloud) { c.Imports = []string{"glance-direct"} }},
		"import fails": {site: imageData, download: map[string]any{}, imports: 1, uploads: true,
			seed: func(c *fake.Cloud) { c.ImportsFail = true }},
		"import fails late": {site: imageData, download: map[string]any{}, imports: 1, uploads: true,
			seed: func(c *fake.Cloud) { c.ImportsFail, c.Build = true, 20*time.Minute }},
		"import refused": {site: imageData, download: map[string]any{}, imports: 1, uploads: true,
			seed: func(c *fake.Cloud) { c.Filtered = "images.test" }},
		"password in the address": {site: imageData, download: map[string]any{"url": "http://me:hush@images.test/image"},
			uploads: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := imageWorld(t, serves(c.site), c.download)
			if c.seed != nil {
				w.seeds = append(w.seeds, c.seed)
			}
			w.plays(t, func(p *kittest.Play) {
				p.Pass(time.Hour)
				p.Ready()
				if n := imports(p); n != c.imports {
					p.T.Errorf("%d imports, want %d", n, c.imports)
				}
				if c.uploads {
					uploaded(p, imageData)
				} else if n := files(p); n > 0 {
					p.T.Errorf("%d uploads", n)
				}
				before := len(cloudOf(p).Requests())
				p.Pass(time.Hour)
				if n := len(cloudOf(p).Requests()) - before; n > 20 {
					p.T.Errorf("%d requests in an hour about an image that has its data", n)
				}
			})
		})
	}
}

// The status shows the properties, and neither by what we know the image again nor what Glance finds out by itself.
func TestImageMarkerIsHidden(t *testing.T) {
	imageWorld(t, serves(imageData), hashed(imageData)).plays(t, func(p *kittest.Play) {
		p.Ready()
		if id := cloudOf(p).All("Image")[0]["stackwright_owner"]; id == nil {
			p.T.Error("the image has no marker")
		}
		raw := fmt.Sprint(p.Object(theImage).Object["status"])
		if !strings.Contains(raw, "hw_disk_bus") || strings.Contains(raw, "stackwright_owner") ||
			strings.Contains(raw, "checksum") {
			p.T.Errorf("the status has %s", raw)
		}
	})
}

// An import that has failed is seen on the image: another process does not ask for it again.
func TestImageImportFailed(t *testing.T) {
	w := imageWorld(t, http.NotFoundHandler(), map[string]any{})
	w.seeds = append(w.seeds, func(c *fake.Cloud) { c.ImportsFail = true })
	w.plays(t, func(p *kittest.Play) {
		for range 2 {
			told(p, "SourceUnavailable", "answered with 404 Not Found", "The cloud could not fetch it, either.")
			p.Restart()
			p.Pass(10 * time.Minute)
		}
		if n := imports(p); n != 1 {
			p.T.Errorf("%d imports, want 1", n)
		}
	})
}

// An upload ends with the session, and begins again with the next one at once.
func TestImageSessionChanges(t *testing.T) {
	imageWorld(t, trickle(6, 10*time.Second), map[string]any{}).only().opens(t, func(p *kittest.Play) {
		p.Pass(30 * time.Second)
		p.Change("Cloud/default", "spec.syncPeriod", "6m")
		p.Pass(30 * time.Second)
		told(p, "Waiting", "is uploaded; wait: ")
		p.Pass(2 * time.Minute)
		p.Ready()
		uploaded(p, strings.Repeat("x", 6<<20))
	})
}

// Data with another sum leaves no image that can be used, and is not fetched again all the time.
func TestImageWrongHash(t *testing.T) {
	w := imageWorld(t, serves(imageData), hashed("another"))
	w.plays(t, func(p *kittest.Play) {
		told(p, "WrongHash", sha256Of(imageData), sha256Of("another"))
		if s := statusOf(p); s != "queued" || cloudOf(p).Uploads()[0].Whole {
			p.T.Errorf("the image is %v, the upload %v", s, cloudOf(p).Uploads())
		}
		before := len(cloudOf(p).Requests())
		p.Pass(50 * time.Minute)
		if n := files(p); n != 1 {
			p.T.Errorf("%d uploads in an hour", n)
		}
		if n := len(cloudOf(p).Requests()) - before; n > 15 {
			p.T.Errorf("%d requests while there is nothing to do", n)
		}
		p.Pass(20 * time.Minute)
		if n := files(p); n != 2 {
			p.T.Errorf("%d uploads after more than an hour, want 2", n)
		}
	})
}

// A server that hangs, before its answer or in it, is given up, told and tried again.
func TestImageSourceHangs(t *testing.T) {
	for _, first := range []string{"", "an im"} {
		t.Run(first, func(t *testing.T) {
			var works atomic.Bool
			site := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if works.Load() {
					_, _ = io.WriteString(w, imageData)
					return
				}
				if first != "" {
					_, _ = io.WriteString(w, first)
					_ = http.NewResponseController(w).Flush()
				}
				<-r.Context().Done()
			})
			imageWorld(t, site, hashed(imageData)).plays(t, func(p *kittest.Play) {
				told(p, "SourceUnavailable", "http://images.test/image has sent nothing for 60 seconds")
				if s := statusOf(p); s != "queued" {
					p.T.Errorf("the image is %v", s)
				}
				works.Store(true)
				p.Pass(time.Hour)
				p.Ready()
				uploaded(p, imageData)
			})
		})
	}
}

// Glance waits without end for a server that does not answer. That is told after a while, with what ends it, also by a
// process that has not asked for the import; and all is well once the image was deleted and the server answers.
func TestImageImportHangs(t *testing.T) {
	w := imageWorld(t, serves(imageData), map[string]any{})
	w.build = 1000 * time.Hour
	w.opens(t, func(p *kittest.Play) {
		p.Pass(20 * time.Minute)
		told(p, "Waiting", "The cloud fetches the data of the Image")
		for range 2 {
			p.Pass(20 * time.Minute)
			told(p, "ImportDoesNotEnd", "for more than 30 minutes", "delete the image in the cloud, and it is made again")
			if c := p.Condition(theImage, "Stalled"); c.Status != metav1.ConditionTrue {
				p.T.Errorf("it is not told as stalled: %v", c)
			}
			p.Restart()
			p.Pass(20 * time.Minute)
		}
		cloudOf(p).Build = 0
		cloudOf(p).Remove("Image", cloudOf(p).IDs("Image")[0])
		p.Pass(10 * time.Minute)
		p.Ready()
		if n := imports(p); n != 2 {
			p.T.Errorf("%d imports, want one for each image", n)
		}
	})
}

// Private addresses are refused, by whichever way they are come to, until the cloud allows them.
func TestImageFromPrivateAddress(t *testing.T) {
	for name, c := range map[string]struct {
		download map[string]any
		allow    string
	}{
		"uploaded":         {hashed(imageData), "inside.test"},
		"redirected":       {hashed(imageData), "10.0.0.0/8"},
		"fetched by cloud": {map[string]any{}, "*.test"},
		"literal":          {map[string]any{"url": "http://10.0.0.5/image"}, "10.0.0.5"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := imageWorld(t, http.RedirectHandler("http://inside.test/image", http.StatusFound), c.download)
			if name != "redirected" && name != "literal" {
				c.download["url"] = "http://inside.test/image"
			}
			w.internet.Serve("inside.test", "10.0.0.5", serves(imageData))
			w.shared = true
			w.plays(t, func(p *kittest.Play) {
				told(p, "SourceNotAllowed", "leads to a private address", "spec.imageSources")
				if n := imports(p); n > 0 || len(cloudOf(p).Uploads()) > 0 || slices.Contains(w.internet.Dials(), "inside.test") {
					p.T.Errorf("%d imports, uploads %v, connections to %v", n, cloudOf(p).Uploads(), w.internet.Dials())
				}
				p.Change("ClusterCloud/default", "spec.imageSources", []any{c.allow})
				p.Pass(time.Minute)
				p.Ready()
			})
		})
	}
}

// What an upload has done so far is told, and written every ten seconds at most.
func TestImageProgress(t *testing.T) {
	imageWorld(t, trickle(60, 5*time.Second), map[string]any{}).only().opens(t, func(p *kittest.Play) {
		p.Pass(62 * time.Second)
		told(p, "Waiting", "is uploaded; wait: 1", " MiB of 60 MiB.")
		if s := statusOf(p); s != "saving" {
			p.T.Errorf("the image is %v", s)
		}
		before := len(cloudOf(p).Requests())
		_, writes := p.During(func() { p.Pass(time.Minute) })
		if n := len(writes); n < 4 || n > 6 {
			p.T.Errorf("%d writes in a minute: %v", n, writes)
		}
		if n := len(cloudOf(p).Requests()) - before; n > 1 {
			p.T.Errorf("%d requests in a minute while the operator uploads", n)
		}
		p.Pass(10 * time.Minute)
		p.Ready()
		uploaded(p, strings.Repeat("x", 60<<20))
	})
}

// Whatever else wakes the object, its condition changes every ten seconds only.
func TestImageProgressIsCalm(t *testing.T) {
	imageWorld(t, trickle(60, time.Second), map[string]any{}).only().opens(t, func(p *kittest.Play) {
		p.Pass(15 * time.Second)
		messages := map[string]bool{}
		for i := range 30 {
			p.Change(theImage, "metadata.annotations.n", fmt.Sprint(i))
			p.Pass(time.Second)
			messages[ready(p).Message] = true
		}
		if len(messages) < 3 || len(messages) > 4 {
			p.T.Errorf("in half a minute the condition said %v", messages)
		}
	})
}

// A process that ends in the middle of an upload leaves the image queued, and the next one begins again.
func TestImageRestart(t *testing.T) {
	imageWorld(t, trickle(6, 30*time.Second), hashed(strings.Repeat("x", 6<<20))).opens(t, func(p *kittest.Play) {
		p.Pass(time.Minute)
		p.Stop()
		p.Pass(time.Minute)
		if s := statusOf(p); s != "queued" {
			p.T.Errorf("while nobody uploads the image is %v", s)
		}
		p.Start()
		p.Pass(10 * time.Minute)
		p.Ready()
		uploaded(p, strings.Repeat("x", 6<<20))
		if n := len(cloudOf(p).Uploads()); n != 2 {
			p.T.Errorf("%d uploads, want the one that broke off and another", n)
		}
	})
}

// The cloud may not have noticed yet that the process before has died.
func TestImageStillSaving(t *testing.T) {
	imageWorld(t, trickle(6, 30*time.Second), hashed(strings.Repeat("x", 6<<20))).opens(t, func(p *kittest.Play) {
		p.Pass(time.Minute)
		p.Stop()
		p.Pass(time.Second)
		id := cloudOf(p).IDs("Image")[0]
		cloudOf(p).Put("Image", map[string]any{"id": id, "status": "saving"})
		p.Start()
		p.Pass(10 * time.Minute)
		told(p, "Waiting", "until the cloud has noticed that an upload broke off")
		cloudOf(p).Put("Image", map[string]any{"id": id, "status": "queued"})
		p.Pass(10 * time.Minute)
		p.Ready()
		uploaded(p, strings.Repeat("x", 6<<20))
	})
}

// An object that is deleted in the middle of an upload leaves nothing.
func TestImageDeletedWhileUploaded(t *testing.T) {
	imageWorld(t, trickle(60, 30*time.Second), map[string]any{}).only().opens(t, func(p *kittest.Play) {
		p.Pass(time.Minute)
		p.Remove(theImage)
		p.Pass(time.Minute)
		if p.Object(theImage) != nil || len(cloudOf(p).All("Image")) > 0 {
			p.T.Errorf("the object or the image is still there: %v", cloudOf(p).All("Image"))
		}
		if all := cloudOf(p).Uploads(); len(all) != 1 || all[0].Whole {
			p.T.Error("the upload went on")
		}
	})
}

// Two uploads to one cloud go on at a time.
func TestImageParallelUploads(t *testing.T) {
	w := imageWorld(t, trickle(6, 30*time.Second), map[string]any{}).only()
	for _, name := range []string{"second", "third"} {
		spec, _ := w.object["spec"].(map[string]any)
		w.objects = append(w.objects, w.make(name, spec))
	}
	w.opens(t, func(p *kittest.Play) {
		p.Pass(time.Minute)
		if n := files(p); n != 2 {
			p.T.Errorf("%d uploads at a time, want 2", n)
		}
		p.Pass(20 * time.Minute)
		p.Ready()
		if n := len(cloudOf(p).Uploads()); n != 3 {
			p.T.Errorf("%d uploads, want 3", n)
		}
	})
}

// Images that somebody else has made get no data from us, and those without an address are waited for.
func TestImageOfOthers(t *testing.T) {
	w := imageWorld(t, serves(imageData), hashed(imageData))
	w.seeds = append(w.seeds, func(c *fake.Cloud) {
		c.Put("Image", map[string]any{"id": "theirs", "name": "sample", "status": "queued"})
	})
	w.spec()["policy"] = "adopt"
	w.plays(t, func(p *kittest.Play) {
		p.Pass(time.Hour)
		if n := files(p) + imports(p); n > 0 {
			p.T.Errorf("%d times data was brought", n)
		}
	})
	w = imageWorld(t, serves(imageData), hashed(imageData))
	declared, _ := w.spec()["resource"].(map[string]any)
	declared["content"] = map[string]any{"diskFormat": "raw"}
	w.plays(t, func(p *kittest.Play) {
		told(p, "Waiting", "upload its data")
		before := len(cloudOf(p).Requests())
		p.Pass(time.Hour)
		if n := len(cloudOf(p).Requests()) - before; n > 70 {
			p.T.Errorf("%d requests in an hour that waits for somebody", n)
		}
		cloudOf(p).Put("Image", map[string]any{"id": cloudOf(p).IDs("Image")[0], "status": "active"})
		p.Pass(later)
		p.Ready()
	})
}

// An upload that the cloud ends, or whose answer is lost, is made good.
func TestImageUploadFails(t *testing.T) {
	for _, fault := range []fake.Fault{fake.Lost, fake.Unanswered, fake.Broken, fake.Down, fake.TooMany, fake.Garbage} {
		t.Run(string(fault), func(t *testing.T) {
			t.Parallel()
			w := imageWorld(t, serves(imageData), hashed(imageData))
			failed := false
			w.fault = func(_ int, r *http.Request) fake.Fault {
				if r.Method == http.MethodPut && !failed {
					failed = true
					return fault
				}
				return fake.None
			}
			w.plays(t, func(p *kittest.Play) {
				p.Pass(time.Hour)
				p.Ready()
				uploaded(p, imageData)
			})
		})
	}
}

// Killed at any request on the way of the data, there is one image in the end; hidden ones are in no list.
func TestImageCrash(t *testing.T) {
	for name, hidden := range map[string]bool{"uploaded": false, "hidden": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := imageWorld(t, serves(imageData), hashed(imageData))
			declared, _ := w.spec()["resource"].(map[string]any)
			declared["hidden"] = hidden
			s := w.scenario()
			if !*whole {
				s.Stride = 2
			}
			kittest.New(t, s).Crash(t, nil)
		})
	}
}

// A source that drips is given up, told, and leaves its place to others; it is tried again later.
func TestImageSourceDrips(t *testing.T) {
	w := imageWorld(t, trickle(10_000, 50*time.Second), map[string]any{}).only()
	w.opens(t, func(p *kittest.Play) {
		p.Pass(10*time.Minute + 30*time.Second)
		told(p, "SourceTooSlow", "http://images.test/image has sent less than 60 MiB in 10 minutes")
		if s := statusOf(p); s != "queued" || files(p) != 1 {
			p.T.Errorf("the image is %v after %d uploads", s, files(p))
		}
		p.Pass(3 * time.Minute)
		if n := files(p); n != 2 {
			p.T.Errorf("%d uploads, want another one", n)
		}
		p.Remove(theImage)
		p.Pass(time.Minute)
	})
}

// More data than the cloud lets be uploaded is refused, until the cloud allows it.
func TestImageTooLarge(t *testing.T) {
	big := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(3<<30))
		_, _ = io.WriteString(w, "x")
	})
	w := imageWorld(t, big, hashed("x"))
	w.limits = map[string]any{"imageGiB": int64(2)}
	w.plays(t, func(p *kittest.Play) {
		told(p, "SourceTooLarge", "more than 2 GiB", "spec.limits.imageGiB")
		p.Change("Cloud/default", "spec.limits.imageGiB", int64(4))
		p.Pass(time.Minute)
		told(p, "SourceUnavailable") // it breaks off
	})
}
