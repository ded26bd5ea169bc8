package strictjson

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// ErrNumber is returned for a number that the canonical form would change.
var ErrNumber = errors.New("number can't be kept exactly by every JSON reader: send it as a string")

// Canonical is JSON in the form of RFC 8785 (JSON Canonicalization Scheme): equal
// values are equal data. Only Canonicalize makes one; the zero Canonical is no JSON.
type Canonical struct{ text string }

// String is the JSON.
func (c Canonical) String() string { return c.text }

// Value is the JSON, to be changed.
func (c Canonical) Value() []byte { return []byte(c.text) }

// MarshalJSON is the JSON.
func (c Canonical) MarshalJSON() ([]byte, error) { return c.Value(), nil }

// Canonicalize returns data in the form of RFC 8785. That scheme reads numbers as IEEE 754 doubles; a number whose
// value would change by that (such as 9007199254740993) is ErrNumber, since
// two different values must never share a digest.
func Canonicalize(data []byte) (Canonical, error) {
	if err := checkDepth(data, MaxDepth); err != nil {
		return Canonical{}, err
	}
	if err := checkNumbers(data); err != nil {
		return Canonical{}, err
	}
	v := jsontext.Value(data).Clone()
	if err := v.Canonicalize(); err != nil {
		return Canonical{}, explain(err)
	}
	return Canonical{string(v)}, nil
}

func checkNumbers(data []byte) error {
	if !bytes.ContainsAny(data, "0123456789") {
		return nil
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(data))
	for dec.PeekKind() != 0 {
		tok, err := dec.ReadToken()
		if err != nil {
			return explain(err)
		}
		if tok.Kind() != '0' {
			continue
		}
		text := tok.String()
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || decimalOf(text) != decimalOf(strconv.FormatFloat(f, 'g', -1, 64)) {
			return fmt.Errorf("%s: %s: %w", place(dec.StackPointer()), text, ErrNumber)
		}
	}
	return nil
}

// decimal is a number's value as digits × 10^exp, digits without zeros at
// either end; equal values have equal decimals.
type decimal struct {
	negative bool
	digits   string
	exp      int
}

func decimalOf(text string) decimal {
	var d decimal
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	// An exponent too large for an int has already failed as a double, or is
	// that of a zero or an underflow, which its digits tell apart.
	d.exp, _ = strconv.Atoi(exponent)
	mantissa, d.negative = strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	d.exp -= len(fraction)
	digits := strings.TrimLeft(whole+fraction, "0")
	d.digits = strings.TrimRight(digits, "0")
	d.exp += len(digits) - len(d.digits)
	if d.digits == "" {
		return decimal{}
	}
	return d
}
