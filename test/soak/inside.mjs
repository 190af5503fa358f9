// Runs inside the real program (NODE_OPTIONS=--import ...). On SIGUSR2 it collects garbage and reports the remaining memory and
// the event loop delay since SIGURG. With SOAK_SNAPSHOTS it also writes a heap snapshot, to find a leak.
import { appendFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { getHeapCodeStatistics, setFlagsFromString, writeHeapSnapshot } from "node:v8";
import { runInNewContext } from "node:vm";

const file = process.env["SOAK_INSIDE_FILE"] ?? "";
const snapshots = (process.env["SOAK_SNAPSHOTS"] ?? "").split(",").filter(Boolean).map(Number);
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");
const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();
let reports = 0;

process.on("SIGURG", () => delay.reset());
process.on("SIGUSR2", () => {
  // the second collection frees buffers that the first one only released
  collect();
  collect();
  reports += 1;
  const { heapUsed, external } = process.memoryUsage();
  const { code_and_metadata_size, bytecode_and_metadata_size } = getHeapCodeStatistics();
  const ms = (percent) => delay.percentile(percent) / 1e6;
  const lag = { p50: ms(50), p99: ms(99), max: delay.max / 1e6, samples: delay.count };
  appendFileSync(file, `${JSON.stringify({ heapUsed, external, code: code_and_metadata_size + bytecode_and_metadata_size, lag })}\n`);
  if (snapshots.includes(reports)) writeHeapSnapshot(`${file}.${reports}.heapsnapshot`);
});
