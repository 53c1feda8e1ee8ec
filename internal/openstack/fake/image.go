package fake

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// hookImage is the hook of images, which stay queued until their data came.
const hookImage = "image"

// The properties by which Glance shows an import: the lock, and the stores where it failed. Both lists are there and
// empty where a cloud has one store only.
const (
	importTask   = "os_glance_import_task"
	importFailed = "os_glance_failed_import"
	importStores = "os_glance_importing_to_stores"
)

// osHidden keeps an image out of lists that do not ask for those that have it.
const osHidden = "os_hidden"

// sumOfData stands for what Glance tells of data.
const sumOfData = "0cc175b9c0f1b6a831c399e269772661"

// Upload is what a cloud has got as the data of an image.
type Upload struct {
	ID   string
	Data []byte
	// Whole tells that the end was marked as such.
	Whole bool
}

// Uploads returns what was uploaded, also what broke off, in the order of the ends.
func (c *Cloud) Uploads() []Upload {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Upload{}, c.uploads...)
}

// concealed tells whether a list leaves an image out.
func (r *row) concealed(query url.Values) bool {
	hidden, _ := r.fields[osHidden].(bool)
	return hidden && query.Get(osHidden) != "true"
}

// image is an image and its kind.
func (c *Cloud) image(id string) (*d.Kind, *row) {
	for _, k := range c.kinds {
		if k.Hook == hookImage {
			return k, c.row(k, id)
		}
	}
	return nil, nil
}

// beginImage makes a new image wait for its data.
func beginImage(r *row) { r.fields["status"], r.ready = "queued", time.Now() }

// arrive ends an import whose time has come.
func (r *row) arrive() {
	if r.importing == "" || time.Now().Before(r.ready) || !r.leaves.IsZero() {
		return
	}
	delete(r.fields, importTask)
	r.fields[importStores], r.fields[importFailed] = "", ""
	r.fields["status"] = r.importing
	r.importing = ""
	r.updated = r.ready
}

// importing answers to what has to do with imports.
func (c *Cloud) importing(q *question) (answer, bool) {
	if q.path == "/info/import" && q.Method == http.MethodGet {
		methods := c.Imports
		return answer{http.StatusOK, map[string]any{"import-methods": map[string]any{
			"description": "Import methods available.", "type": "array", "value": methods}}}, true
	}
	values, ok := fits("/images/{id}/import", q.path)
	if !ok || q.Method != http.MethodPost {
		return answer{}, false
	}
	id, _ := values["id"].(string)
	return c.importImage(id, q), true
}

func (c *Cloud) importImage(id string, q *question) answer {
	var in struct {
		Method struct{ Name, URI string }
	}
	raw, err := json.Marshal(q.doc)
	if err == nil {
		err = json.Unmarshal(raw, &in)
	}
	k, r := c.image(id)
	switch {
	case err != nil || in.Method.Name != "web-download":
		return failure(http.StatusBadRequest, "'"+in.Method.Name+"' is not one of the enabled import methods")
	case r == nil:
		return missing(k, id)
	case strings.Contains(in.Method.URI, c.Filtered) && c.Filtered != "":
		return failure(http.StatusBadRequest, "URI for web-download does not pass filtering: "+in.Method.URI)
	case r.fields[importTask] != nil:
		return failure(http.StatusConflict, "Image has active task")
	case r.fields["status"] != "queued":
		return failure(http.StatusConflict, "Image needs to be in 'queued' state to use 'web-download' method")
	}
	c.serial++
	r.fields[importTask], r.fields["status"], r.importing = "task", "importing", "active"
	if c.ImportsFail {
		r.importing = "queued"
	}
	r.ready, r.updated = time.Now().Add(c.Build), time.Now()
	return answer{code: http.StatusAccepted}
}

// upload takes the data of an image. What breaks off leaves the image queued again.
func (c *Cloud) upload(r *http.Request) (answer, bool) {
	values, ok := fits("/image/v2/images/{id}/file", r.URL.EscapedPath())
	if !ok || r.Method != http.MethodPut {
		return answer{}, false
	}
	id, _ := values["id"].(string)
	c.mu.Lock()
	k, row := c.image(id)
	refusal := c.refuses(k, row, id, r)
	if refusal.code == 0 {
		row.fields["status"], row.updated = "saving", time.Now()
	}
	c.mu.Unlock()
	if refusal.code != 0 {
		return refusal, true
	}
	data, err := io.ReadAll(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.uploads = append(c.uploads, Upload{ID: id, Data: data, Whole: err == nil})
	row.updated = time.Now()
	row.fields["status"], row.fields["checksum"] = "active", sumOfData
	if err != nil {
		row.fields["status"] = "queued"
		delete(row.fields, "checksum")
		return failure(http.StatusInternalServerError, "the data broke off"), true
	}
	return answer{code: http.StatusNoContent}, true
}

func (c *Cloud) refuses(k *d.Kind, row *row, id string, r *http.Request) answer {
	switch {
	case !c.known(r):
		return failure(http.StatusUnauthorized, "The request you have made requires authentication.")
	case row == nil:
		return missing(k, id)
	case r.Header.Get("Content-Type") != "application/octet-stream":
		return failure(http.StatusUnsupportedMediaType, "the content type is not application/octet-stream")
	case row.fields["status"] != "queued":
		return failure(http.StatusConflict, "Image status transition from something to saving is not allowed")
	}
	return answer{}
}
