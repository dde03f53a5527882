package command

import (
	"reflect"
	"runtime"
	"strings"
	"unicode"
	"unsafe"
)

var notes = map[uintptr]string{}

func noted(name string, f func(*call)) func(*call) {
	notes[*(*uintptr)(unsafe.Pointer(&f))] = name
	keep = append(keep, f)
	return f
}

var keep []func(*call)

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func kebab(f func(*call)) string {
	if f == nil {
		return ""
	}
	if n, ok := notes[*(*uintptr)(unsafe.Pointer(&f))]; ok {
		return n
	}
	name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	name = name[strings.LastIndexByte(name, '.')+1:]
	goNames[name] = true
	return kebabName(name)
}

var goNames = map[string]bool{}

func kebabName(name string) string {
	name = strings.TrimSuffix(name, "Ops")
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
