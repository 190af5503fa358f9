// npm run bench -- [--compare] [--keep] [part of a file name ...]
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const asked = process.argv.slice(2);
const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
const names = asked.filter((argument) => !argument.startsWith("--"));
const child = spawn(process.execPath, [vitest, "run", "--config", join(import.meta.dirname, "vitest.config.ts"), ...names], {
  stdio: "inherit",
  env: {
    ...process.env,
    ...(asked.includes("--compare") && { BENCH_COMPARE: "true" }),
    ...((asked.includes("--keep") || names.length === 0) && { BENCH_KEEP: "true" }),
  },
});
child.on("exit", (code, signal) => {
  process.exitCode = signal === null ? (code ?? 1) : 1;
});
