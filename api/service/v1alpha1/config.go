package v1alpha1

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Options maps the options of one section to their values.
// +kubebuilder:validation:MaxProperties=256
type Options map[string]Value

// Value is the value of an option: a string, a number, a boolean, or a list of these.
// +kubebuilder:validation:Type=""
// +kubebuilder:pruning:PreserveUnknownFields
// +kubebuilder:object:generate=false
type Value struct {
	// Raw is kept as it came, so that a value of a wrong type is refused with a message and does not make the whole
	// object unreadable.
	Raw []byte `json:"-"`
}

// ValueOf makes a Value of a string, a number, a boolean or a slice of these.
func ValueOf(v any) (Value, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return Value{}, fmt.Errorf("encoding a value: %w", err)
	}
	return Value{Raw: raw}, nil
}

// UnmarshalJSON keeps any value.
func (v *Value) UnmarshalJSON(data []byte) error {
	v.Raw = bytes.Clone(data)
	return nil
}

// MarshalJSON returns the value as it came.
func (v Value) MarshalJSON() ([]byte, error) {
	if len(v.Raw) == 0 {
		return []byte("null"), nil
	}
	return v.Raw, nil
}

// DeepCopyInto copies the value.
func (v *Value) DeepCopyInto(out *Value) { out.Raw = bytes.Clone(v.Raw) }

// DeepCopy copies the value.
func (v *Value) DeepCopy() *Value {
	if v == nil {
		return nil
	}
	return &Value{Raw: bytes.Clone(v.Raw)}
}

// Texts returns the value as the configuration file has it: one text, or one for each item of a list.
func (v Value) Texts() (texts []string, list bool, err error) {
	decoder := json.NewDecoder(bytes.NewReader(v.Raw))
	decoder.UseNumber()
	var decoded any
	if err := decoder.Decode(&decoded); err != nil {
		return nil, false, fmt.Errorf("is not readable: %w", err)
	}
	items, list := decoded.([]any)
	if !list {
		items = []any{decoded}
	}
	for _, item := range items {
		text, err := text(item)
		if err != nil {
			return nil, list, err
		}
		texts = append(texts, text)
	}
	return texts, list, nil
}

func text(item any) (string, error) {
	switch item := item.(type) {
	case string:
		return item, nil
	case json.Number:
		return item.String(), nil
	case bool:
		return fmt.Sprintf("%t", item), nil
	case nil:
		return "", fmt.Errorf("is empty; leave the option out to get its default")
	case []any:
		return "", fmt.Errorf("has a list in a list; use one list of strings, numbers or booleans")
	default:
		return "", fmt.Errorf("is an object; use a string, a number, a boolean or a list of these")
	}
}

// ConfigSource is one ConfigMap or Secret whose keys hold configuration files of the service.
// +kubebuilder:validation:XValidation:rule="has(self.configMap) != has(self.secret)",message="set exactly one of configMap and secret"
type ConfigSource struct {
	// ConfigMap names a ConfigMap.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	ConfigMap string `json:"configMap,omitempty"`
	// Secret names a Secret.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Secret string `json:"secret,omitempty"`
}
