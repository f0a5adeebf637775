// Package settings holds the test of settings in real processes: two that talk on one store, and a third that changes a setting. Both see
// it within a second, in their next turn; a turn that is under way keeps the settings that it began with.
package settings
