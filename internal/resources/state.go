package resources

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"stackwright.dev/kit/outcome"

	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// stateOf is nil when a resource is usable. A state that waits for an answer gets it.
func (c *controller) stateOf(ctx context.Context, o object, t *target, seen map[string]any) *outcome.Outcome {
	now := state(t.kind, seen)
	action := t.kind.State.Answer[now]
	if action == "" {
		c.answers.done(o.GetUID())
	}
	last := c.answers.last(o.GetUID())
	if action == "" || !policyOf(t.kind, o.Common()).update || !last.IsZero() && time.Since(last) < removeAgain {
		return stateOf(t.kind, seen, c.complaint(ctx, o, t, seen))
	}
	if err := t.answer(ctx, identity(t.kind, seen), action); err != nil {
		return failed(fmt.Errorf("answering to the state %s of the %s: %w", now, t.kind.Name, err))
	}
	c.answers.set(o.GetUID(), time.Now())
	return stateOf(t.kind, seen, "")
}

func state(k *d.Kind, seen map[string]any) string {
	s, _ := body.At(seen, k.State.Path).(string)
	return s
}

// complaint is what the service says of a resource in an error, if it tells that anywhere but in the resource itself.
// It is asked until it says something: a resource may be in an error a moment before that is written.
func (c *controller) complaint(ctx context.Context, o object, t *target, seen map[string]any) string {
	if s := t.kind.State; s.Messages == "" || !slices.Contains(s.Error, state(t.kind, seen)) {
		c.complaints.drop(o.GetUID())
		return ""
	}
	if text := c.complaints.get(o.GetUID()); text != "" {
		return text
	}
	path := strings.ReplaceAll(t.kind.State.Messages, "{id}", url.QueryEscape(identity(t.kind, seen)))
	answer, err := t.request(ctx, asked{method: http.MethodGet, path: path, needs: []string{t.kind.State.MessagesSince}})
	if err != nil {
		return "" // the state stands without it, and whoever may not read messages cannot know more
	}
	text, _ := body.At(answer, "messages.0.user_message").(string)
	text = strings.TrimRight(text, ".")
	c.complaints.set(o.GetUID(), text)
	return text
}

// stateOf is nil when a resource is usable; complaint is what is said of an error.
func stateOf(k *d.Kind, seen map[string]any, complaint string) *outcome.Outcome {
	if k.State.Path == "" {
		return nil
	}
	state := state(k, seen)
	switch halted := k.State.Halted; {
	case state == halted.In && shows(seen, halted.Shows) && shows(seen, halted.Idle):
		return outcome.Fail(outcome.Unknown, fmt.Errorf(
			"the %s is in state %s, but %s; see the log of service %s for why", k.Name, state, halted.Advice, k.Service))
	case slices.Contains(k.State.Ready, state):
		return nil
	case slices.Contains(k.State.Error, state):
		fault, _ := body.At(seen, k.State.Fault).(string)
		fault = strings.TrimRight(fault, ".") // the sentence goes on
		return outcome.Fail(outcome.Unknown, broken(k, state, cmp.Or(fault, complaint, "OpenStack does not say why")))
	}
	again := 5 * time.Minute
	if k.State.Answer[state] != "" {
		again = quick
	}
	return outcome.Poll(again, k.Name, "Waits until the %s, which is in state %s, is %s; see the log of service %s if "+
		"that lasts.", k.Name, cmp.Or(state, "unknown"), strings.Join(k.State.Ready, " or "), k.Service)
}

// broken is the error of a resource in an error state, of which something is said.
func broken(k *d.Kind, state, said string) error {
	for _, r := range k.State.Remedies {
		if strings.Contains(said, r.Words) {
			return fmt.Errorf("the %s is in state %s: %s; %s, then delete it to have it made again", k.Name, state, said,
				r.Advice)
		}
	}
	return fmt.Errorf("the %s is in state %s: %s; repair it, or delete it to have it made again", k.Name, state, said)
}
