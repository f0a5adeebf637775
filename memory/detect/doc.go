// Package detect answers one question from words alone: which affair is this message about?
package detect
