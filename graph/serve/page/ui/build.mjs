// Builds the page into ../dist, or the folder that DIST names. The same sources give the same bytes.
import { build } from "esbuild";
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";

const dist = new URL(process.env.DIST ? `file://${process.env.DIST}/` : "../dist/", import.meta.url);
await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });

const built = await build({
  metafile: true,
  preserveSymlinks: true, // wherever the packages lie, the bytes are the same
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
// The licences of what is in it.
const packages = new Set(Object.keys(built.metafile.inputs).map((f) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(f)?.[1]).filter(Boolean));
let licences = "";
for (const name of [...packages].sort()) {
  const folder = new URL(`node_modules/${name}/`, import.meta.url);
  const file = (await readdir(folder)).find((f) => /^licen[cs]e/i.test(f));
  const { version, license } = JSON.parse(await readFile(new URL("package.json", folder), "utf8"));
  licences += `${name} ${version} (${license})\n\n${file ? await readFile(new URL(file, folder), "utf8") : ""}\n----\n\n`;
}
await writeFile(new URL("licences.txt", dist), licences);
for (const name of ["index.html", "icon.svg"]) await copyFile(new URL(`src/${name}`, import.meta.url), new URL(name, dist));

for (const name of (await readdir(dist)).sort()) {
  const raw = await readFile(new URL(name, dist));
  console.log(`${name.padEnd(28)} ${String(raw.length).padStart(8)} bytes ${String(gzipSync(raw).length).padStart(7)} gz`);
}
