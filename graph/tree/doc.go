// Package tree parses YAML that a stranger may have written: a scenario, the definition of an agent, a config.yaml in a
// folder that was handed over.
// What would cost the parser too much is refused while its tokens are read, before anything is parsed.
//
//	file, err := tree.Parse("config.yaml", data)
//	if err != nil {
//		return err
//	}
//	r := &tree.Reader{File: "config.yaml"}
//	r.Object("the configuration", file.Docs[0].Body, tree.Fields{
//		"name": func(n ast.Node) { c.Name = r.Text("name", n) },
//	})
//	return r.Err
//
//	data ──size──► tokens ──depth, keys, aliases──► parser ──► syntax tree ──Reader──► values
package tree

// Design:
//
//   - The time and memory of the YAML library grow with the square of the depth and of the keys of one object: 400 KB of
//     brackets took 23 GB. Reading a token costs a fixed amount, so the limits are checked there.
//   - The limits are far above what people write: 64 levels, 1000 keys in an object, 1000 aliases, 4 MB.
//   - A Reader walks the tree instead of decoding into structs: every error can name line and column, the order of keys is
//     kept, and a scalar is taken as it is written (38.10 stays 38.10).
