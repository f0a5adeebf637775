// Serves ../dist in front of a running mneme, as mneme serves it: MNEME=http://127.0.0.1:8470 PORT=8499 node dev.mjs
import { createServer, request } from "node:http";
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";

const mneme = new URL(process.env.MNEME ?? "http://127.0.0.1:8470");
const dist = new URL(process.env.DIST ? `file://${process.env.DIST}/` : "../dist/", import.meta.url);
const keys = new Map(); // by cookie
const types = { js: "text/javascript", css: "text/css", svg: "image/svg+xml", html: "text/html; charset=utf-8" };
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const keyOf = (req) => keys.get(/mneme_page=([^;]+)/.exec(req.headers.cookie ?? "")?.[1]);

function refuse(res) {
  res.writeHead(401, { "Content-Type": "application/problem+json" });
  res.end(JSON.stringify({ type: "urn:mneme:error:denied", title: "Unauthorized", status: 401, code: "denied", detail: "sign in with an access key" }));
}

async function sign(req, res) {
  if (req.method === "DELETE") return res.writeHead(204, { "Set-Cookie": "mneme_page=; Path=/; Max-Age=0" }).end();
  let body = "";
  for await (const piece of req) body += piece;
  const key = JSON.parse(body).access_key;
  const known = await fetch(new URL("/api/v1/settings", mneme), { headers: { Authorization: `Bearer ${key}` } });
  if (known.status === 401) return refuse(res);
  const id = randomUUID();
  keys.set(id, key);
  res.writeHead(204, { "Set-Cookie": `mneme_page=${id}; Path=/; HttpOnly; SameSite=Strict` }).end();
}

function pass(req, res) {
  const key = keyOf(req);
  if (!key || req.headers["x-mneme-page"] !== "1") return refuse(res);
  const headers = { ...req.headers, authorization: `Bearer ${key}`, host: mneme.host };
  const up = request(new URL(req.url, mneme), { method: req.method, headers }, (from) => {
    res.writeHead(from.statusCode, from.headers);
    from.pipe(res);
  });
  up.on("error", () => res.destroy());
  res.on("close", () => up.destroy());
  req.pipe(up);
}

createServer(async (req, res) => {
  const path = new URL(req.url, "http://page").pathname;
  if (path === "/page/session") return sign(req, res);
  if (path.startsWith("/api/") || path === "/openapi.json") return pass(req, res);
  const name = path.startsWith("/page/") ? path.slice(6) : "index.html";
  const file = await readFile(new URL(name, dist)).catch(() => null);
  if (!file || name.includes("..")) return res.writeHead(404).end();
  res.writeHead(200, { "Content-Type": types[name.split(".").pop()], "Content-Security-Policy": policy, "Cache-Control": "no-cache" }).end(file);
}).listen(Number(process.env.PORT ?? 8499), "127.0.0.1");
