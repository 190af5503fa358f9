// npm run chaos -- [part of a file name ...]: the long form, with a seed that repeats it and a table at the end. The soak is its last part.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const seed = process.env.CHAOS_SEED ?? String(Math.floor(Math.random() * 2 ** 31));
const folder = mkdtempSync(join(tmpdir(), "homesec-chaos-"));
const results = join(folder, "results.ndjson");
writeFileSync(results, "");
const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
process.stdout.write(`CHAOS_SEED=${seed} repeats this run\n`);
const startedAt = Date.now();

/** Runs files of tests; whether all of them passed. */
async function passes(files, env) {
  const child = spawn(process.execPath, [vitest, "run", ...files], { stdio: "inherit", env: { ...process.env, ...env } });
  const [code] = await once(child, "exit");
  return code === 0;
}

const names = process.argv.slice(2);
const chaos = names.filter((name) => name !== "soak").map((name) => `test/chaos/${name}`);
const passed = [];
if (names.length === 0 || chaos.length > 0) {
  passed.push(await passes(chaos.length > 0 ? chaos : ["test/chaos"], { CHAOS: "long", CHAOS_SEED: seed, CHAOS_RESULTS: results }));
}
// alone, because it measures memory and event loop delay
if (names.length === 0 || names.includes("soak")) {
  passed.push(await passes(["test/soak"], { SOAK_MINUTES: process.env.SOAK_MINUTES ?? "60", SOAK_SEED: process.env.SOAK_SEED ?? seed }));
}

const parts = readFileSync(results, "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line));
rmSync(folder, { recursive: true });
const width = Math.max(...parts.map(({ part }) => part.length), 4);
process.stdout.write(`\n${"part".padEnd(width)}  figures\n`);
for (const { part, figures } of parts) {
  const text = Object.entries(figures).map(([name, value]) => `${value} ${name}`);
  process.stdout.write(`${part.padEnd(width)}  ${text.join(", ")}\n`);
}
const isGood = passed.every(Boolean);
const minutes = Math.round((Date.now() - startedAt) / 60_000);
const verdict = isGood ? "every part kept every promise" : "NOT every part kept its promises, see above";
process.stdout.write(`\n${verdict}; ${minutes} minutes, CHAOS_SEED=${seed}\n`);
process.exitCode = isGood ? 0 : 1;
