// Asks two servers for /health at a steady rate and measures the memory of a daemon, in a thread that no attack slows down.
import { readFileSync } from "node:fs";
import { Agent, get } from "node:http";
import { parentPort, workerData } from "node:worker_threads";

const everyMs = 50;
const { pid, urls } = workerData;
let mostMb = 0;

/** Milliseconds that the daemon's main thread has waited for a processor since its start; 0 if the kernel does not count them. */
function starvedMs() {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[1]) / 1e6;
  } catch {
    return 0;
  }
}

/** Measures how long one server takes to answer. */
function probe(url) {
  const agent = new Agent({ keepAlive: true });
  let tookMs = [];
  let ownMs = [];
  const ask = () => {
    const askedAt = performance.now();
    const starvedBefore = starvedMs();
    const end = (isAnswered) => {
      // no answer is worse than any limit
      const ms = isAnswered ? performance.now() - askedAt : Number.POSITIVE_INFINITY;
      tookMs.push(ms);
      ownMs.push(Math.max(0, ms - (starvedMs() - starvedBefore)));
    };
    const request = get(`${url}/health`, { agent, headers: { "X-Forwarded-For": "192.0.2.250" } }, (response) => {
      response.resume().once("end", () => end(response.statusCode === 200));
    });
    request.once("error", () => end(false));
  };
  const report = () => {
    const percentile = (values, share) =>
      values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.POSITIVE_INFINITY;
    const latency = { asked: tookMs.length, p50: percentile(tookMs, 0.5), p99: percentile(tookMs, 0.99), most: percentile(tookMs, 1) };
    const report = { ...latency, ownP95: percentile(ownMs, 0.95), ownP99: percentile(ownMs, 0.99) };
    tookMs = [];
    ownMs = [];
    return report;
  };
  return { ask, report };
}

const [daemon, bare] = urls.map(probe);

setInterval(() => {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  mostMb = Math.max(mostMb, Number(kilobytes ?? 0) / 1024);
  daemon.ask();
  bare.ask();
}, everyMs);

// Answers each message with what was measured since the last one.
parentPort.on("message", () => {
  parentPort.postMessage({ daemon: daemon.report(), bare: bare.report(), mostMb });
  mostMb = 0;
});
