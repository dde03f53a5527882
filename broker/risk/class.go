package risk

import "fmt"

// String returns "safe", "normal" or "dangerous". It is total, so that a number from elsewhere
// has a name as well.
func (c Class) String() string {
	switch {
	case c <= Safe:
		return "safe"
	case c >= Dangerous:
		return "dangerous"
	}
	return "normal"
}

// MarshalText writes the class as String does.
func (c Class) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads what MarshalText wrote. Any other text is an error, and c stays.
func (c *Class) UnmarshalText(text []byte) error {
	for _, known := range []Class{Safe, Normal, Dangerous} {
		if string(text) == known.String() {
			*c = known
			return nil
		}
	}
	return fmt.Errorf("%q is no risk class: use safe, normal or dangerous", text)
}
