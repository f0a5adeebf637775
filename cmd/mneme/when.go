package main

import (
	"fmt"
	"time"
)

// This file says when: in the user's zone, which is named wherever a clock is shown.

// clock is how a time of day is shown where the zone is named elsewhere.
const clock = "2006-01-02 15:04"

// zoneOf returns the user's zone: that of TZ, else the machine's.
func zoneOf(environ []string) *time.Location {
	if name := lookup(environ, "TZ"); name != "" {
		if zone, err := time.LoadLocation(name); err == nil {
			return zone
		}
	}
	return time.Local
}

func (c *console) zone() *time.Location { return zoneOf(c.environ) }

// show writes a time in a layout, "" for none.
func show(t time.Time, zone *time.Location, layout string) string {
	if t.IsZero() {
		return ""
	}
	return t.In(zone).Format(layout)
}

// atIn writes a time with its zone, "" for none.
func atIn(t time.Time, zone *time.Location) string { return show(t, zone, clock+" MST") }

func (c *console) at(t time.Time) string { return atIn(t, c.zone()) }

// column writes a time for a table whose head is timeHead, "" for none.
func (c *console) column(t time.Time) string { return show(t, c.zone(), clock) }

// timeHead returns the head of a column of times, with the zone of today.
func (c *console) timeHead() string {
	return "TIME (" + c.now().In(c.zone()).Format("MST") + ")"
}

// day writes the day of a time, "" for none.
func (c *console) day(t time.Time) string { return show(t, c.zone(), time.DateOnly) }

// ago says how long a time is gone, as lists show it; after a week it is the day. "" for none.
func (c *console) ago(t time.Time) string {
	const day = 24 * time.Hour
	gone := c.now().Sub(t)
	switch {
	case t.IsZero() || gone < 0 || gone >= 7*day:
		return c.day(t)
	case gone < time.Minute:
		return "just now"
	case gone < time.Hour:
		return fmt.Sprintf("%d min ago", gone/time.Minute)
	case gone < day:
		return fmt.Sprintf("%d h ago", gone/time.Hour)
	}
	return counted(int(gone/day), "day") + " ago"
}
