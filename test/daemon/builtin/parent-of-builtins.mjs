// Starts both built-in services and prints their process ids, so that a test can kill this process.
import { startBuiltin } from "../../../daemon/builtin/spawn.ts";
import { silentLog } from "../../../src/base/log/log.ts";

const builtins = ["detector", "language_model"].map((name) => startBuiltin(name, { log: silentLog }));
await Promise.all(builtins.map(({ ready }) => ready));
process.send(builtins.map((builtin) => builtin.pid()));
