package fetch_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"stackwright.dev/stackwright/internal/resources/fetch"
	"stackwright.dev/stackwright/internal/resources/fetch/internet"
)

const public = "203.0.113.7"

// The words "an image\n" as bzip2 and xz pack them.
const (
	bzip2Image = "QlpoOTFBWSZTWddrp/MAAAHRAAAQQAAioyAAMQwIIGmaiBSQ3xdyRThQkNdrp/M="
	xzImage    = "/Td6WFoAAATm1rRGAgAhARYAAAB0L+WjAQAIYW4gaW1hZ2UKAAAAAEGBOSTWokn4AAEhCWwYxdUftvN9AQAAAAAEWVo="
)

const image = "an image\n"

func gz(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func unbase64(t *testing.T, text string) []byte {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func sha(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// site answers with the same data always.
func site(data []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(data) })
}

// read reads a source to its end.
func read(t *testing.T, c fetch.Client, s fetch.Source, allowed ...string) (string, error) {
	t.Helper()
	g, err := fetch.NewGuard(allowed)
	if err != nil {
		t.Fatal(err)
	}
	d, err := c.Open(t.Context(), s, g)
	if err != nil {
		return "", err
	}
	defer d.Close()
	all, err := io.ReadAll(d)
	return string(all), err
}

// reason is the reason of a failure.
func reason(err error) string {
	f, ok := errors.AsType[*fetch.Failure](err)
	if !ok {
		return fmt.Sprint(err)
	}
	return f.Reason
}

func TestRead(t *testing.T) {
	packed := gz(t, image)
	type source = fetch.Source
	for name, c := range map[string]struct {
		source source
		data   []byte
		want   string
		reason string
	}{
		"plain":         {data: []byte(image), want: image},
		"gz":            {source: source{Packed: "gz"}, data: packed, want: image},
		"bz2":           {source: source{Packed: "bz2"}, data: unbase64(t, bzip2Image), want: image},
		"xz":            {source: source{Packed: "xz"}, data: unbase64(t, xzImage), want: image},
		"right sum":     {source: source{Algorithm: "sha256", Sum: sha(image)}, data: []byte(image), want: image},
		"wrong sum":     {source: source{Algorithm: "sha256", Sum: sha("x")}, data: []byte(image), reason: "WrongHash"},
		"sum of packed": {source{Packed: "gz", Algorithm: "sha256", Sum: sha(string(packed))}, packed, image, ""},
		"sum of inside": {source{Packed: "gz", Algorithm: "sha256", Sum: sha(image)}, packed, "", "WrongHash"},
		"not packed":    {source: source{Packed: "gz"}, data: []byte(image), reason: "SourceCorrupt"},
		"not xz":        {source: source{Packed: "xz"}, data: []byte(image), reason: "SourceCorrupt"},
		"half of xz":    {source: source{Packed: "xz"}, data: unbase64(t, xzImage)[:40], reason: "SourceCorrupt"},
		"broken xz":     {source{Packed: "xz"}, flipped(unbase64(t, xzImage), 30), "", "SourceCorrupt"},
		"half of bz2":   {source: source{Packed: "bz2"}, data: unbase64(t, bzip2Image)[:30], reason: "SourceCorrupt"},
		"half of gz":    {source: source{Packed: "gz"}, data: packed[:len(packed)-4], reason: "SourceCorrupt"},
		"nothing":       {data: nil, reason: "SourceEmpty"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := internet.New()
				n.Serve("images.test", public, site(c.data))
				c.source.URL = "http://images.test/image"
				got, err := read(t, n.Client(), c.source)
				if c.reason == "" && (err != nil || got != c.want) || c.reason != "" && reason(err) != c.reason {
					t.Errorf("read %q, %v", got, err)
				}
			})
		})
	}
}

func flipped(b []byte, i int) []byte {
	b[i] ^= 0xff
	return b
}

// What a server packs for the way is not asked for: the sum is over what it has.
func TestNothingIsPackedForTheWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := internet.New()
		n.Serve("images.test", public, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
				w.Header().Set("Content-Encoding", "gzip")
				_, _ = w.Write(gz(t, "another"))
				return
			}
			_, _ = io.WriteString(w, image)
		}))
		if got, err := read(t, n.Client(), fetch.Source{URL: "http://images.test/image"}); got != image {
			t.Errorf("read %q, %v", got, err)
		}
	})
}

// Each address that only the machine or its networks can reach is refused, whatever its spelling.
func TestPrivateAddresses(t *testing.T) {
	for _, address := range []string{
		"127.0.0.1", "127.8.8.8", "10.1.2.3", "172.31.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
		"224.0.0.1", "255.255.255.255", "198.18.0.1", "192.0.0.8", "::1", "::", "fe80::1", "fe80::1%eth0", "fd00:ec2::254",
		"ff02::1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "64:ff9b::a00:1", "2002:a00:1::1", "::a00:1", "2001::1",
		"fec0::1", "64:ff9b:1::1",
	} {
		synctest.Test(t, func(t *testing.T) {
			n := internet.New()
			n.Serve("inside.test", address, site([]byte(image)))
			s := fetch.Source{URL: "http://inside.test/image"}
			if _, err := read(t, n.Client(), s); reason(err) != "SourceNotAllowed" {
				t.Errorf("%s is read: %v", address, err)
			}
			if err := n.Client().Check(t.Context(), s.URL, fetch.Guard{}); reason(err) != "SourceNotAllowed" {
				t.Errorf("%s is let pass: %v", address, err)
			}
			if len(n.Dials()) > 0 {
				t.Errorf("a connection was made to %s", address)
			}
			literal := strings.ReplaceAll("http://["+address+"]/image", "%", "%25")
			if netip.MustParseAddr(address).Is4() {
				literal = "http://" + address + "/image"
			}
			if err := n.Client().Check(t.Context(), literal, fetch.Guard{}); reason(err) != "SourceNotAllowed" {
				t.Errorf("%s is let pass: %v", literal, err)
			}
		})
	}
}

func TestAllowed(t *testing.T) {
	for name, c := range map[string]struct {
		address string
		allowed []string
		ok      bool
	}{
		"nothing":          {"10.1.2.3", nil, false},
		"name":             {"10.1.2.3", []string{"Inside.Test."}, true},
		"suffix":           {"10.1.2.3", []string{"*.test"}, true},
		"longer suffix":    {"10.1.2.3", []string{"*.side.test"}, false},
		"other name":       {"10.1.2.3", []string{"side.test", "outside.test"}, false},
		"cidr":             {"10.1.2.3", []string{"10.1.0.0/16"}, true},
		"other cidr":       {"10.1.2.3", []string{"10.2.0.0/16"}, false},
		"address":          {"10.1.2.3", []string{"10.1.2.3"}, true},
		"mapped":           {"::ffff:10.1.2.3", []string{"10.1.2.3"}, true},
		"unique local":     {"fd00::5", []string{"fd00::/8"}, true},
		"never loopback":   {"127.0.0.1", []string{"127.0.0.0/8", "inside.test"}, false},
		"never link-local": {"169.254.169.254", []string{"169.254.0.0/16", "inside.test"}, false},
		"public":           {public, nil, true},
		"public v6":        {"2a01:4f8::1", nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := internet.New()
				n.Serve("inside.test", c.address, site([]byte(image)))
				got, err := read(t, n.Client(), fetch.Source{URL: "http://inside.test/image"}, c.allowed...)
				if ok := err == nil && got == image; ok != c.ok {
					t.Errorf("read %q, %v", got, err)
				}
			})
		})
	}
	for _, wrong := range []string{"", "a b", "*.*.test", "10.0.0.0/99", "http://inside.test"} {
		if _, err := fetch.NewGuard([]string{wrong}); err == nil {
			t.Errorf("%q was allowed", wrong)
		}
	}
}

// A name that leads elsewhere at the second look, and a redirect, come to no private address.
func TestLedAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := internet.New()
		n.Serve("inside.test", "10.0.0.1", site([]byte(image)))
		n.Serve("far.test", public, http.RedirectHandler("http://inside.test/image", http.StatusFound))
		n.Serve("rebound.test", public, site(nil))
		n.Serve("round.test", public, http.RedirectHandler("http://round.test/again", http.StatusFound))
		n.Serve("file.test", public, http.RedirectHandler("file:///etc/passwd", http.StatusFound))
		c := n.Client()
		if err := c.Check(t.Context(), "http://rebound.test/", fetch.Guard{}); err != nil {
			t.Fatal(err)
		}
		n.Serve("rebound.test", "10.0.0.1", site([]byte(image)))
		for url, want := range map[string]string{
			"http://far.test/image": "SourceNotAllowed", "http://rebound.test/": "SourceNotAllowed",
			"http://round.test/": "SourceUnavailable", "http://file.test/": "SourceNotAllowed",
			"ftp://far.test/": "InvalidSource", "http://": "InvalidSource", "http://nowhere.test/": "SourceUnavailable",
		} {
			if got, err := read(t, c, fetch.Source{URL: url}); reason(err) != want {
				t.Errorf("%s: %q, %v", url, got, err)
			}
		}
		if got, err := read(t, c, fetch.Source{URL: "http://far.test/image"}, "inside.test"); got != image {
			t.Errorf("a redirect that is allowed: %q, %v", got, err)
		}
	})
}

// The network itself refuses: nothing is sent to a listener on the machine.
func TestNetwork(t *testing.T) {
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer s.Close()
	_, port, _ := strings.Cut(strings.TrimPrefix(s.URL, "http://"), ":")
	for _, host := range []string{"127.0.0.1", "localhost", "0.0.0.0", "[::ffff:127.0.0.1]"} {
		_, err := read(t, fetch.Client{}, fetch.Source{URL: "http://" + host + ":" + port + "/"})
		if reason(err) != "SourceNotAllowed" {
			t.Errorf("%s: %v", host, err)
		}
	}
	if asked > 0 {
		t.Errorf("%d requests were made", asked)
	}
}

// What hangs before its answer, or in the middle of it, is given up after a minute; what is slow is not.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := internet.New()
		hang := func(first string) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if first != "" {
					w.Header().Set("Content-Length", "1000")
					_, _ = io.WriteString(w, first)
					_ = http.NewResponseController(w).Flush()
				}
				<-r.Context().Done()
			})
		}
		n.Serve("dead.test", public, hang(""))
		n.Serve("half.test", public, hang("half"))
		n.Serve("slow.test", public, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for range 5 {
				<-time.After(50 * time.Second)
				_, _ = io.WriteString(w, "x")
				_ = http.NewResponseController(w).Flush()
			}
		}))
		for _, host := range []string{"dead.test", "half.test"} {
			begin := time.Now()
			_, err := read(t, n.Client(), fetch.Source{URL: "http://" + host + "/image"})
			if took := time.Since(begin); reason(err) != "SourceUnavailable" || took != time.Minute {
				t.Errorf("%s: after %s: %v", host, took, err)
			}
			if !strings.Contains(err.Error(), "has sent nothing for 60 seconds") {
				t.Errorf("%s: %v", host, err)
			}
		}
		if got, err := read(t, n.Client(), fetch.Source{URL: "http://slow.test/image"}); got != "xxxxx" || err != nil {
			t.Errorf("what is slow: %q, %v", got, err)
		}
	})
}

// drips sends parts of a size, each after a pause.
func drips(parts, size int, pause time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for range parts {
			select {
			case <-time.After(pause):
			case <-r.Context().Done():
				return
			}
			_, _ = w.Write(make([]byte, size))
			_ = http.NewResponseController(w).Flush()
		}
	})
}

// A server that drips is given up after ten minutes; one that is slow, and comes to its end, is not.
func TestDrip(t *testing.T) {
	for name, c := range map[string]struct {
		site http.Handler
		took time.Duration
	}{
		"a byte now and then": {drips(100_000, 1, 50*time.Second), 10*time.Minute + 50*time.Second},
		"4 MiB in a minute":   {drips(100_000, 4<<20, time.Minute-time.Second), 11*time.Minute + 48*time.Second},
		"8 MiB in a minute":   {drips(25, 8<<20, time.Minute-time.Second), 0},
		"little, and soon":    {drips(9, 1, 59*time.Second), 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := internet.New()
				n.Serve("slow.test", public, c.site)
				begin := time.Now()
				_, err := read(t, n.Client(), fetch.Source{URL: "http://slow.test/image"})
				switch took := time.Since(begin); {
				case c.took == 0 && err != nil:
					t.Errorf("the error is %v", err)
				case c.took > 0 && (reason(err) != "SourceTooSlow" || took != c.took):
					t.Errorf("after %s: %v", took, err)
				}
			})
		})
	}
}

// More data than a source may have is given up, wherever that shows.
func TestSourceLimit(t *testing.T) {
	zeros := make([]byte, 3<<20)
	for name, c := range map[string]struct {
		limit  int64
		packed string
		site   http.Handler
	}{
		"enough":          {3 << 20, "", site(zeros)},
		"said":            {2 << 20, "", site(zeros)},
		"not said":        {2 << 20, "", drips(3, 1<<20, time.Second)},
		"packed enough":   {3 << 20, "gz", site(gz(t, string(zeros)))},
		"packed too much": {2 << 20, "gz", site(gz(t, string(zeros)))},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := internet.New()
				n.Serve("images.test", public, c.site)
				_, err := read(t, n.Client(), fetch.Source{URL: "http://images.test/", Packed: c.packed, Limit: c.limit})
				if tooLarge := c.limit < 3<<20; tooLarge && reason(err) != "SourceTooLarge" || !tooLarge && err != nil {
					t.Errorf("the error is %v", err)
				}
			})
		})
	}
}

// The reader of an image may take its time: only the server is watched.
func TestSlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := internet.New()
		n.Serve("images.test", public, site(bytes.Repeat([]byte("x"), 1<<20)))
		d, err := n.Client().Open(t.Context(), fetch.Source{URL: "http://images.test/"}, fetch.Guard{})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		p := make([]byte, 1<<18)
		total := 0
		for {
			<-time.After(time.Hour)
			n, err := d.Read(p)
			if total += n; err != nil {
				if !errors.Is(err, io.EOF) || total != 1<<20 {
					t.Errorf("read %d bytes: %v", total, err)
				}
				return
			}
		}
	})
}

// Nothing of a secret in an address comes into messages.
func TestSecretsInAddresses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := internet.New()
		n.Serve("far.test", public, http.NotFoundHandler())
		n.Serve("inside.test", "10.0.0.1", http.NotFoundHandler())
		for _, host := range []string{"far.test", "inside.test", "nowhere.test", "far.test:x"} {
			url := "http://user:pass%77ord@" + host + "/image?X-Signature=hush"
			_, err := read(t, n.Client(), fetch.Source{URL: url})
			if err == nil || strings.Contains(err.Error(), "pass") || strings.Contains(err.Error(), "hush") {
				t.Errorf("%s: %v", host, err)
			}
		}
	})
}

func TestCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := internet.New()
		hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
		n.Serve("dead.test", public, http.HandlerFunc(hang))
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, err := n.Client().Open(ctx, fetch.Source{URL: "http://dead.test/"}, fetch.Guard{})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v", err)
		}
	})
}

// Whatever comes, unpacking ends with an error or with data.
func FuzzUnpack(f *testing.F) {
	for _, text := range []string{xzImage, bzip2Image} {
		raw, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw, "xz")
		f.Add(raw, "bz2")
		f.Add(raw, "gz")
	}
	f.Fuzz(func(t *testing.T, data []byte, packed string) {
		n := internet.New()
		n.Serve("images.test", public, site(data))
		got, err := read(t, n.Client(), fetch.Source{URL: "http://images.test/", Packed: packed})
		if err == nil && got == "" {
			t.Error("there is neither data nor an error")
		}
	})
}
