package tools

import (
	"maps"
	"slices"

	"github.com/cloudwego/eino/schema"

	"github.com/mneme-graph/mneme/state"
)

// CopyInfos copies descriptions of tools, their schemas included. A chat model is given a copy each time: some change what they are
// given in place, and a tool's description is one for all turns that run side by side.
func CopyInfos(infos []*schema.ToolInfo) ([]*schema.ToolInfo, error) {
	out := make([]*schema.ToolInfo, len(infos))
	for i, info := range infos {
		if info == nil {
			return nil, state.Errorf(state.Invalid, "tools", "number %d has no description", i+1)
		}
		copied := *info
		copied.Extra = maps.Clone(info.Extra)
		var err error
		if copied.ParamsOneOf, err = copyParams(info.ParamsOneOf); err != nil {
			return nil, state.Errorf(state.Invalid, "tool "+info.Name, "its arguments cannot be described: %w", err)
		}
		out[i] = &copied
	}
	return out, nil
}

// copyParams copies the schema of a tool's arguments, level by level. By way of its JSON it would take ten times as long, before each call of a model.
func copyParams(p *schema.ParamsOneOf) (*schema.ParamsOneOf, error) {
	from, err := p.ToJSONSchema()
	if from == nil || err != nil {
		return nil, err
	}

	// Each schema in todo is a copy, whose children are still those of the original.
	top := *from
	for todo := append(from.AllOf[:0:0], &top); len(todo) > 0; todo = todo[1:] {
		s := todo[0]
		s.Required, s.TypeEnhanced, s.Enum, s.Examples = slices.Clone(s.Required), slices.Clone(s.TypeEnhanced), slices.Clone(s.Enum), slices.Clone(s.Examples)
		s.DependentRequired, s.Extras = maps.Clone(s.DependentRequired), maps.Clone(s.Extras)

		// Its children, wherever a schema may have some.
		todo = copyEach(todo, &s.Not, &s.If, &s.Then, &s.Else, &s.Items, &s.Contains, &s.AdditionalProperties, &s.PropertyNames, &s.ContentSchema)
		todo = copyList(todo, &s.AllOf, &s.AnyOf, &s.OneOf, &s.PrefixItems)
		s.Definitions = maps.Clone(s.Definitions)
		s.DependentSchemas, s.PatternProperties = maps.Clone(s.DependentSchemas), maps.Clone(s.PatternProperties)
		todo = copyValues(copyValues(copyValues(todo, s.Definitions), s.DependentSchemas), s.PatternProperties)
		if before := s.Properties; before != nil {
			s.Properties = makeSame(before)
			if err := s.Properties.UnmarshalJSON([]byte("{}")); err != nil { // makes it ready for Set
				return nil, err
			}
			for property := before.Oldest(); property != nil; property = property.Next() {
				value := property.Value
				todo = copyEach(todo, &value)
				s.Properties.Set(property.Key, value)
			}
		}
	}
	return schema.NewParamsOneOfByJSONSchema(&top), nil
}

// copyEach puts copies in the place of values, and adds them to those that are to be looked at.
func copyEach[T any](todo []*T, values ...**T) []*T {
	for _, v := range values {
		if *v != nil {
			copied := **v
			*v = &copied
			todo = append(todo, &copied)
		}
	}
	return todo
}

func copyList[T any](todo []*T, lists ...*[]*T) []*T {
	for _, list := range lists {
		*list = slices.Clone(*list)
		for i := range *list {
			todo = copyEach(todo, &(*list)[i])
		}
	}
	return todo
}

func copyValues[T any](todo []*T, values map[string]*T) []*T {
	for key, value := range values {
		todo = copyEach(todo, &value)
		values[key] = value
	}
	return todo
}

func makeSame[T any](*T) *T { return new(T) }
