import { close, failures, look, open, base, expect, pictureAll } from "./page.mjs";
import * as memory from "./memory.mjs";
import * as plain from "./plain.mjs";
import * as tries from "./tries.mjs";
import * as turns from "./turns.mjs";

const wanted = process.argv.slice(2);
for (const [name, run] of Object.entries({ ...tries, ...turns, ...memory, ...plain })) {
  if (wanted.length && !wanted.includes(name)) continue;
  console.log(`----- ${name}`);
  try {
    await run({ open, look, base, expect });
  } catch (err) {
    console.error(err);
    await pictureAll(name);
    process.exitCode = 1;
  }
}
await close();
if (failures) process.exitCode = 1;
