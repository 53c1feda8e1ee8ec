package image

import "context"

// options is the file with the image's catalogue of options, empty for an image that asks for none.
func (b *build) options(_ context.Context, t *task) (string, error) {
	if t.layer.Image.Options == nil {
		return "", nil
	}
	return "", nil
}
