// Times in the user's zone. The UTC time is for hovering.
import { language } from "./text.ts";

const day = 24 * 3600 * 1000;

export function utc(at: string): string {
  return new Date(at).toISOString();
}

// when says a time as shortly as it is clear: today the hour, else the day too.
export function when(at: string): string {
  const d = new Date(at);
  const near = Math.abs(Date.now() - d.getTime()) < day && d.getDate() === new Date().getDate();
  const form: Intl.DateTimeFormatOptions = near ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" };
  return new Intl.DateTimeFormat(language.value, form).format(d);
}

// took says a length of time, given in nanoseconds.
export function took(ns: number): string {
  const ms = ns / 1e6;
  if (ms >= 1000) return `${number(ms / 1000, 1)} s`;
  return `${number(ms, ms < 10 ? 1 : 0)} ms`;
}

export function number(n: number, digits = 0): string {
  return new Intl.NumberFormat(language.value, { maximumFractionDigits: digits }).format(n);
}

export function percent(share: number): string {
  return new Intl.NumberFormat(language.value, { style: "percent", maximumFractionDigits: 0 }).format(share);
}
