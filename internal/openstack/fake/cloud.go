// Package fake is an OpenStack in memory that behaves as descriptors say: tokens and catalog, resources of every kind,
// states that take time, lists, refusals and faults. It is for tests that need faults or thousands of resources.
package fake

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// Cloud is the fake. It is an http.Handler, safe for concurrent use.
type Cloud struct {
	// Host is the name under which clients reach it.
	Host string
	// Password of the only user.
	Password string
	// Life of a token.
	Life time.Duration
	// Build is how long a resource with states stays pending.
	Build time.Duration
	// Lose is how many of the next orders nobody takes, of kinds that show it; LoseRemovals is the same of deletions.
	Lose, LoseRemovals int
	// Spoil is how many of the next orders end in an error with nothing made, of kinds that show it.
	Spoil int
	// Unsettled leaves what other resources show when one is made as it is.
	Unsettled bool
	// Page is the longest page of a list; 0 has no limit.
	Page int
	// Microversions are the highest ones of services by type.
	Microversions map[string]string
	// Leads are the states to which actions lead, such as resize to VERIFY_RESIZE, which waits for an answer.
	Leads map[string]string
	// Twins lets resources have the key of another one, as most services do; identity does not.
	Twins bool
	// Missing are types of services that the catalog does not have.
	Missing []string
	// Hidden are kinds whose resources no list shows.
	Hidden map[string]bool
	// Remembers shows by its id what is gone, in a state that tells it, as Heat does.
	Remembers bool
	// Quota is how many resources of a kind there may be; a kind that is not named has no limit.
	Quota map[string]int
	// More are names of fields that services take though their descriptors do not have them, and whether they show them.
	More map[string]bool
	// Spell is how services write fields down that clients may spell in several ways, by the names of the fields.
	Spell map[string]func(any) any
	// Deaf are names of fields of which services take changes that they do not make, as Keystone does with a limit of 0.
	Deaf map[string]bool
	// Imports are the ways in which images can be imported. ImportsFail lets imports end with queued images, and Filtered
	// is what addresses must not have in them.
	Imports     []string
	ImportsFail bool
	Filtered    string
	// Fault is asked before each request but logins; nil lets all pass.
	Fault func(n int, r *http.Request) Fault
	// Notify is told of each change, in the middle of it: it must neither block nor call the cloud. It may be nil.
	Notify func(Notification)

	mu     sync.Mutex
	kinds  []*d.Kind
	stores map[string]*store
	tokens map[string]time.Time
	logins int
	log    []Request
	serial int
	// says are what the block storage tells users of resources, by their ids.
	says map[string]string
	// uploads are the data of images.
	uploads []Upload
}

// Request is one request that the cloud has got.
type Request struct {
	Method, Path string
	At           time.Time
}

// Fault is what goes wrong with a request.
type Fault string

// The faults.
const (
	// None: nothing goes wrong.
	None Fault = ""
	// Lost: the request does not take effect and the connection breaks.
	Lost Fault = "lost"
	// Unanswered: the request takes effect and the connection breaks.
	Unanswered Fault = "unanswered"
	// Broken: the request takes effect and is answered with 500.
	Broken Fault = "broken"
	// Down: the request does not take effect and is answered with 503.
	Down Fault = "down"
	// TooMany: the request does not take effect and is answered with 429 and Retry-After.
	TooMany Fault = "tooMany"
	// Garbage: the request takes effect and the answer is no JSON.
	Garbage Fault = "garbage"
	// Timeout: the request takes effect and is never answered.
	Timeout Fault = "timeout"
	// Slow: the request takes effect and is answered late.
	Slow Fault = "slow"
)

// Refusals without effect that are about one resource.
var (
	// Busy is a conflict that goes away by itself.
	Busy = Refused(http.StatusConflict, "The resource is immutable and cannot be updated.")
	// InUse is a conflict that lasts until somebody does something.
	InUse = Refused(http.StatusConflict, "The resource is in use.")
	// TooLarge is what Cinder, Glance and Designate say of a quota that is met.
	TooLarge = Refused(http.StatusRequestEntityTooLarge, "ResourceLimitExceeded: Maximum number of resources exceeded")
)

// Pause is the Retry-After of TooMany, Late how long a slow answer takes.
const (
	Pause = 7 * time.Second
	Late  = 20 * time.Second
)

// Refused is a request that does not take effect and is answered with a status and a text.
func Refused(code int, text string) Fault { return Fault(strconv.Itoa(code) + " " + text) }

// refusal is what a fault that Refused made is answered with.
func (f Fault) refusal() (code int, text string) {
	first, text, _ := strings.Cut(string(f), " ")
	code, err := strconv.Atoi(first)
	if err != nil {
		return 0, ""
	}
	return code, text
}

// New returns a cloud without resources that offers the services of kinds.
func New(kinds []*d.Kind) *Cloud {
	c := &Cloud{Host: "cloud.test", Password: "secret", Life: time.Hour, Quota: map[string]int{},
		Microversions: map[string]string{"compute": "2.96", "block-storage": "3.71", "placement": "1.39"},
		Leads:         map[string]string{"resize": "VERIFY_RESIZE"},
		Imports:       []string{"glance-direct", "web-download", "copy-image"},
		stores:        map[string]*store{}, tokens: map[string]time.Time{}}
	for _, k := range kinds {
		c.kinds = append(c.kinds, k)
		c.stores[k.Name] = &store{rows: map[string]*row{}, gone: map[string]*row{}}
	}
	return c
}

// CloudsYAML is what a client needs to reach the cloud.
func (c *Cloud) CloudsYAML() string {
	return "clouds:\n  fake:\n    auth:\n      auth_url: http://" + c.Host + "/identity/v3\n      username: robot\n" +
		"      password: " + c.Password + "\n      project_name: robot\n      user_domain_name: Default\n" +
		"      project_domain_name: Default\n    region_name: RegionOne\n"
}

// Requests returns what the cloud has been asked, logins left out.
func (c *Cloud) Requests() []Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.log)
}

// Logins returns how often a token was issued.
func (c *Cloud) Logins() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.logins
}

// ServeHTTP answers a request.
func (c *Cloud) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/identity/v3/auth/tokens" && r.Method == http.MethodPost {
		c.login(w, r)
		return
	}
	fault := c.record(r)
	if code, text := fault.refusal(); code != 0 {
		refuse(w, code, text)
		return
	}
	switch fault {
	case Lost:
		panic(http.ErrAbortHandler)
	case Down:
		refuse(w, http.StatusServiceUnavailable, "the service is down")
		return
	case TooMany:
		w.Header().Set("Retry-After", strconv.Itoa(int(Pause/time.Second)))
		refuse(w, http.StatusTooManyRequests, "too many requests")
		return
	}
	a, ok := c.upload(r)
	if !ok {
		c.mu.Lock()
		a = c.answer(r)
		c.tell(r, a.code)
		c.mu.Unlock()
	}
	switch fault {
	case Unanswered:
		panic(http.ErrAbortHandler)
	case Timeout:
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	case Slow:
		late(r)
		a.write(w)
	case Broken:
		refuse(w, http.StatusInternalServerError, "something went wrong after all was done")
	case Garbage:
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write([]byte("<html>"))
	default:
		a.write(w)
	}
}

// late lets time go by, unless the client gives up first.
func late(r *http.Request) {
	timer := time.NewTimer(Late)
	defer timer.Stop()
	select {
	case <-r.Context().Done():
	case <-timer.C:
	}
}

func (c *Cloud) record(r *http.Request) Fault {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.log = append(c.log, Request{r.Method, r.URL.RequestURI(), time.Now()})
	if c.Fault == nil {
		return None
	}
	return c.Fault(len(c.log), r)
}

// id is a new id in the form of a UUID that is the same in each run.
func (c *Cloud) id() string {
	c.serial++
	s := strconv.Itoa(c.serial)
	return "00000000-0000-4000-8000-" + "000000000000"[len(s):] + s
}
