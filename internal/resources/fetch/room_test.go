package fetch_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"stackwright.dev/stackwright/internal/resources/fetch"
	"stackwright.dev/stackwright/internal/resources/fetch/internet"
)

// The words "an image\n" as xz -9 packs them, with a dictionary of 64 MiB, and as xz -0 does, with one of 256 KiB.
const (
	largeXZ = "/Td6WFoAAATm1rRGAgAhARwAAAAQz1jMAQAIYW4gaW1hZ2UKAAAAAEGBOSTWokn4AAEhCWwYxdUftvN9AQAAAAAEWVo="
	smallXZ = "/Td6WFoAAATm1rRGAgAhAQwAAACPmEGcAQAIYW4gaW1hZ2UKAAAAAEGBOSTWokn4AAEhCWwYxdUftvN9AQAAAAAEWVo="
)

// rooms are an internet with an image in each form, and a client of a process.
func rooms(t *testing.T) (*internet.Internet, fetch.Client) {
	t.Helper()
	n := internet.New()
	for name, data := range map[string][]byte{
		"large.test": unbase64(t, largeXZ), "usual.test": unbase64(t, xzImage), "small.test": unbase64(t, smallXZ),
		"bz2.test": unbase64(t, bzip2Image), "gz.test": gz(t, image), "plain.test": []byte(image),
		"growing.test": slices.Concat(unbase64(t, smallXZ), unbase64(t, largeXZ)),
	} {
		n.Serve(name, public, site(data))
	}
	c := n.Client()
	c.Room = fetch.NewRoom()
	return n, c
}

func open(t *testing.T, c fetch.Client, host, packed string) *fetch.Data {
	t.Helper()
	d, err := c.Open(t.Context(), fetch.Source{URL: "http://" + host + "/image", Packed: packed}, fetch.Guard{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// whole reads data to its end.
func whole(t *testing.T, d *fetch.Data) {
	t.Helper()
	defer d.Close()
	if got, err := io.ReadAll(d); string(got) != image || err != nil {
		t.Errorf("read %q, %v", got, err)
	}
}

// Whatever clouds and images there are, dictionaries take no more than that of one xz -9. Who waits asks the source
// once more when there is memory, for no server waits for hours.
func TestUnpackingTakesTurns(t *testing.T) {
	for name, c := range map[string]struct {
		have   []string
		then   string
		packed string
		waits  bool
	}{
		"largest beside largest": {[]string{"large.test"}, "large.test", "xz", true},
		"usual beside largest":   {[]string{"large.test"}, "usual.test", "xz", true},
		"bz2 beside largest":     {[]string{"large.test"}, "bz2.test", "bz2", true},
		"gz beside largest":      {[]string{"large.test"}, "gz.test", "gz", false},
		"plain beside largest":   {[]string{"large.test"}, "plain.test", "", false},
		"eighth of the usual":    {slices.Repeat([]string{"usual.test"}, 7), "usual.test", "xz", false},
		"ninth of the usual":     {slices.Repeat([]string{"usual.test"}, 8), "usual.test", "xz", true},
		"small beside usual":     {slices.Repeat([]string{"usual.test"}, 7), "small.test", "xz", false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n, client := rooms(t)
				var have []*fetch.Data
				for _, host := range c.have {
					have = append(have, open(t, client, host, "xz"))
				}
				before := len(n.Dials())
				if done := unpacks(t, client, c.then, c.packed, have); done == c.waits {
					t.Errorf("it is done beside the others: %t", done)
				}
				if asked := len(n.Dials()) - before; asked != map[bool]int{true: 2, false: 1}[c.waits] {
					t.Errorf("the source was asked %d times", asked)
				}
			})
		})
	}
}

// unpacks reads an image, at the latest when others are read, and tells whether that was done beside them.
func unpacks(t *testing.T, client fetch.Client, host, packed string, others []*fetch.Data) (beside bool) {
	t.Helper()
	done := false
	go func() {
		whole(t, open(t, client, host, packed))
		done = true
	}()
	<-time.After(10 * time.Minute)
	beside = done
	for _, d := range others {
		whole(t, d)
	}
	synctest.Wait()
	if !done {
		t.Error("it is not done after the others")
	}
	return beside
}

// Whoever unpacks for hours gives way to others, and to nobody when there are none.
func TestUnpackingEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := rooms(t)
		alone := open(t, c, "large.test", "xz")
		<-time.After(3 * time.Hour)
		whole(t, alone)
		slow := open(t, c, "large.test", "xz")
		go func() { whole(t, open(t, c, "large.test", "xz")) }()
		<-time.After(59 * time.Minute)
		if _, err := slow.Read(make([]byte, 2)); err != nil {
			t.Errorf("within the hour: %v", err)
		}
		<-time.After(2 * time.Minute)
		if _, err := slow.Read(make([]byte, 2)); reason(err) != "SourceTooSlow" {
			t.Errorf("after the hour: %v", err)
		}
		slow.Close()
		slow.Close() // which takes nothing from the next one
		synctest.Wait()
		whole(t, open(t, c, "large.test", "xz"))
	})
}

// Who gives up waiting leaves no trace, and a source that is broken none either.
func TestUnpackingIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, c := rooms(t)
		n.Serve("broken.test", public, site(unbase64(t, largeXZ)[:20]))
		first := open(t, c, "large.test", "xz")
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, err := c.Open(ctx, fetch.Source{URL: "http://large.test/image", Packed: "xz"}, fetch.Guard{})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("who gives up is told %v", err)
		}
		whole(t, first)
		for _, host := range []string{"broken.test", "plain.test", "growing.test"} {
			d, err := c.Open(t.Context(), fetch.Source{URL: "http://" + host + "/image", Packed: "xz"}, fetch.Guard{})
			if err == nil {
				_, err = io.ReadAll(d)
				d.Close()
			}
			if reason(err) != "SourceCorrupt" {
				t.Errorf("%s: %v", host, err)
			}
		}
		whole(t, open(t, c, "large.test", "xz"))
	})
}
