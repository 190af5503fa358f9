// Starts both built-in services from the built program and prints their process ids, so that a test can kill this process.
import { startBuiltin } from "../../../dist/daemon/builtin/spawn.js";
import { silentLog } from "../../../dist/src/base/log/log.js";

const builtins = ["detector", "language_model"].map((name) => startBuiltin(name, { log: silentLog }));
await Promise.all(builtins.map(({ ready }) => ready));
process.send(builtins.map((builtin) => builtin.pid()));
