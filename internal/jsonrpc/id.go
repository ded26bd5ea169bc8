package jsonrpc

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lineclear/lineclear/tool"
)

// Key names an id by its value, however that is written: 1, 1.0 and 10e-1 are one, 1 and "1" are two,
// and so are integers that differ beyond 2^53.
func Key(id tool.JSON) string {
	read := jsontext.Value(id).Clone()
	if read.Kind() == '0' && read.IsValid() {
		return number(string(bytes.TrimSpace(read)))
	}
	if read.Canonicalize(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
		return string(bytes.TrimSpace(id))
	}
	return string(read)
}

// number is a number of JSON as an integer without zeros at its end, and a power of ten.
func number(text string) string {
	digits, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	digits, negative := strings.CutPrefix(digits, "-")
	whole, part, _ := strings.Cut(digits, ".")
	power, err := strconv.ParseInt(cmp.Or(exponent, "0"), 10, 32)
	if err != nil {
		return text // nobody counts so far
	}
	digits = strings.TrimLeft(whole+part, "0")
	power -= int64(len(part))
	short := strings.TrimRight(digits, "0")
	if short == "" {
		return "0"
	}
	power += int64(len(digits) - len(short))
	if negative {
		short = "-" + short
	}
	return short + "e" + strconv.FormatInt(power, 10)
}
