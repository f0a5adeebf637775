package flow

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/mneme-graph/mneme/state/field"
)

// checkFields refuses names that a log cannot keep apart, and whatever of a state no node's patch would carry.
func checkFields(s any, fields []field.Named) []error {
	var errs []error
	for i, f := range fields {
		if f.Name == "" || strings.ContainsRune(f.Name, 0) {
			errs = append(errs, fmt.Errorf("field %q: give it a name without zero bytes", f.Name))
		}
		if slices.ContainsFunc(fields[:i], func(g field.Named) bool { return g.Name == f.Name }) {
			errs = append(errs, fmt.Errorf("field %s: is there twice", f.Name))
		}
	}
	state := reflect.ValueOf(s).Elem()
	return append(errs, findLeftOut(state.Type().Name(), state, fields)...)
}

func hasField(fields []field.Named, name string) bool {
	return slices.Contains(fieldNames(fields), name)
}

func fieldNames(fields []field.Named) (names []string) {
	for _, f := range fields {
		names = append(names, f.Name)
	}
	return names
}

// findLeftOut finds parts of a struct that are not among its fields.
func findLeftOut(path string, v reflect.Value, fields []field.Named) (errs []error) {
	if v.Kind() != reflect.Struct {
		return nil
	}
	for i := range v.NumField() {
		at, name := v.Field(i), path+"."+v.Type().Field(i).Name
		pointer := reflect.PointerTo(at.Type())
		listed := func(f field.Named) bool {
			held := reflect.ValueOf(f.Field)
			return held.IsValid() && held.Type() == pointer && held.Pointer() == at.Addr().Pointer()
		}
		switch {
		case slices.ContainsFunc(fields, listed):
		case pointer.Implements(reflect.TypeFor[field.Field]()):
			errs = append(errs, fmt.Errorf("field %s: is left out of Fields(), so what a node sets there would be lost; list it", name))
		case at.Kind() == reflect.Struct:
			errs = append(errs, findLeftOut(name, at, fields)...)
		default:
			errs = append(errs, fmt.Errorf("field %s: is a plain %s, so what a node sets there would be lost; make it a field.Last, or a field.Volatile if it is not to be stored", name, at.Type()))
		}
	}
	return errs
}
