// Typed requests to the service. The types come from its OpenAPI document: npm run types.
import type { components, paths } from "./openapi.d.ts";
import { user, signedOut } from "./session.ts";

export type Schemas = components["schemas"];
export type Problem = Schemas["Problem"];

// ApiError is a problem that the service answered with. Branch on its code.
export class ApiError extends Error {
  constructor(
    readonly code: string,
    readonly status: number,
    readonly detail: string,
    readonly requestID = "",
  ) {
    super(detail);
  }
}

type Method = "get" | "post" | "put" | "patch" | "delete";
type PathWith<M extends Method> = { [P in keyof paths]: paths[P] extends Record<M, { responses: unknown }> ? P : never }[keyof paths];
type Op<P extends keyof paths, M extends Method> = M extends keyof paths[P] ? paths[P][M] : never;
type InPath<O> = O extends { parameters: { path: infer A } } ? { path: A } : { path?: undefined };
type InQuery<O> = O extends { parameters: { query?: infer Q } } ? { query?: Q } : { query?: undefined };
type InBody<O> = O extends { requestBody: { content: { "application/json": infer B } } } ? { body: B } : { body?: undefined };
type Ok<O> = O extends { responses: infer R }
  ? R extends { 200: { content: { "application/json": infer B } } } ? B : R extends { 201: { content: { "application/json": infer B } } } ? B : undefined
  : never;
export type Args<P extends keyof paths, M extends Method> = InPath<Op<P, M>> & InQuery<Op<P, M>> & InBody<Op<P, M>> & { signal?: AbortSignal; seen?: object }; // seen is what was read of it: what has changed since is not edited

export function headers(extra: Record<string, string> = {}): Record<string, string> {
  const out: Record<string, string> = { "X-Mneme-Page": "1", ...extra };
  if (user.value && inHeader(user.value)) out["X-Mneme-User"] = user.value;
  return out;
}

// inHeader reports whether a header can carry a name; one that it cannot goes with the query.
function inHeader(name: string): boolean {
  return /^[\x20-\x7e]*$/.test(name);
}

// address fills the blanks of a path and adds its query.
export function address(path: string, args: { path?: unknown; query?: unknown }): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String((args.path as Record<string, unknown>)[name])));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries((args.query ?? {}) as Record<string, unknown>)) {
    if (value !== undefined && value !== "") query.set(name, String(value));
  }
  if (!inHeader(user.value)) query.set("user_id", user.value);
  return query.size ? `${filled}?${query}` : filled;
}

// failed turns an answer that is no success into an ApiError. A 401 leads to the sign-in form.
export async function failed(answer: Response): Promise<ApiError> {
  const text = await answer.text();
  if (answer.status === 401) signedOut();
  try {
    const p = JSON.parse(text) as Problem;
    const parts = (p.errors ?? []).map((e) => e.message).filter(Boolean);
    return new ApiError(p.code, answer.status, [p.detail ?? p.title, ...parts].join("; "), p.request_id);
  } catch {
    return new ApiError("internal", answer.status, text.slice(0, 300) || answer.statusText);
  }
}

async function call<M extends Method, P extends keyof paths>(method: M, path: P, args: Args<P, M>): Promise<Ok<Op<P, M>>> {
  const answer = await send(method, address(path, args), args.body, args.signal, args.seen && tags.get(args.seen));
  if (answer.status === 204) return undefined as Ok<Op<P, M>>;
  const found = await answer.json();
  const tag = answer.headers.get("ETag");
  if (tag) tags.set(found, tag);
  return found;
}

// tags are the ETags of what was read.
const tags = new WeakMap<object, string>();

export async function send(method: string, url: string, body?: unknown, signal?: AbortSignal, tag?: string): Promise<Response> {
  let answer: Response;
  try {
    const of: Record<string, string> = { ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...(tag ? { "If-Match": tag } : {}) };
    answer = await fetch(url, { method: method.toUpperCase(), headers: headers(of), body: body === undefined ? null : JSON.stringify(body), signal: signal ?? null });
  } catch (err) {
    if (signal?.aborted) throw err;
    throw new ApiError("unavailable", 0, "no connection");
  }
  if (!answer.ok) throw await failed(answer);
  return answer;
}

type Rest<P extends keyof paths, M extends Method> = {} extends Args<P, M> ? [args?: Args<P, M>] : [args: Args<P, M>];
const none = {} as never;

export const api = {
  get: <P extends PathWith<"get">>(path: P, ...a: Rest<P, "get">) => call("get", path, a[0] ?? none),
  post: <P extends PathWith<"post">>(path: P, ...a: Rest<P, "post">) => call("post", path, a[0] ?? none),
  put: <P extends PathWith<"put">>(path: P, ...a: Rest<P, "put">) => call("put", path, a[0] ?? none),
  patch: <P extends PathWith<"patch">>(path: P, ...a: Rest<P, "patch">) => call("patch", path, a[0] ?? none),
  delete: <P extends PathWith<"delete">>(path: P, ...a: Rest<P, "delete">) => call("delete", path, a[0] ?? none),
};
