// npm run chaos -- [part of a file name ...]: the long form, with a seed that repeats it and a table at the end
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const seed = process.env.CHAOS_SEED ?? String(Math.floor(Math.random() * 2 ** 31));
const folder = mkdtempSync(join(tmpdir(), "homesec-chaos-"));
const results = join(folder, "results.ndjson");
writeFileSync(results, "");
const names = process.argv.slice(2);
const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
process.stdout.write(`CHAOS_SEED=${seed} repeats this run\n`);
const startedAt = Date.now();
const child = spawn(process.execPath, [vitest, "run", ...(names.length > 0 ? names.map((name) => `test/chaos/${name}`) : ["test/chaos"])], {
  stdio: "inherit",
  env: { ...process.env, CHAOS: "long", CHAOS_SEED: seed, CHAOS_RESULTS: results },
});
child.on("exit", (code, signal) => {
  const parts = readFileSync(results, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
  const width = Math.max(...parts.map(({ part }) => part.length), 4);
  process.stdout.write(`\n${"part".padEnd(width)}  figures\n`);
  for (const { part, figures } of parts) {
    const text = Object.entries(figures).map(([name, value]) => `${value} ${name}`);
    process.stdout.write(`${part.padEnd(width)}  ${text.join(", ")}\n`);
  }
  const minutes = Math.round((Date.now() - startedAt) / 60_000);
  const verdict = code === 0 ? "every part kept every promise" : "NOT every part kept its promises, see above";
  process.stdout.write(`\n${verdict}; ${minutes} minutes, CHAOS_SEED=${seed}\n`);
  rmSync(folder, { recursive: true });
  process.exitCode = signal === null ? (code ?? 1) : 1;
});
