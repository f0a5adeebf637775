// Builds the page into ../dist, or the folder that DIST names. The same sources give the same bytes.
import { build } from "esbuild";
import { copyFile, mkdir, readdir, readFile, rm } from "node:fs/promises";
import { gzipSync } from "node:zlib";

const dist = new URL(process.env.DIST ? `file://${process.env.DIST}/` : "../dist/", import.meta.url);
await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });

await build({
  absWorkingDir: new URL(".", import.meta.url).pathname,
  entryPoints: { app: "src/app.tsx" },
  outdir: dist.pathname,
  entryNames: "[name]",
  chunkNames: "[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  minify: true,
  charset: "utf8",
  legalComments: "none",
  jsx: "automatic",
  jsxImportSource: "preact",
  logLevel: "warning",
});
for (const name of ["index.html", "icon.svg"]) await copyFile(new URL(`src/${name}`, import.meta.url), new URL(name, dist));

for (const name of (await readdir(dist)).sort()) {
  const raw = await readFile(new URL(name, dist));
  console.log(`${name.padEnd(28)} ${String(raw.length).padStart(8)} bytes ${String(gzipSync(raw).length).padStart(7)} gz`);
}
