// Asks for /health at a steady rate and measures the memory of the daemon, in a thread that no attack slows down.
import { readFileSync } from "node:fs";
import { Agent, get } from "node:http";
import { parentPort, workerData } from "node:worker_threads";

const everyMs = 50;
const { url, pid } = workerData;
const agent = new Agent({ keepAlive: true });
let tookMs = [];
let mostMb = 0;
let underWay = 0;

function ask() {
  const askedAt = performance.now();
  underWay += 1;
  const end = (isAnswered) => {
    underWay -= 1;
    // no answer is worse than any limit
    tookMs.push(isAnswered ? performance.now() - askedAt : Number.POSITIVE_INFINITY);
  };
  const request = get(`${url}/health`, { agent, headers: { "X-Forwarded-For": "192.0.2.250" } }, (response) => {
    response.resume().once("end", () => end(response.statusCode === 200));
  });
  request.once("error", () => end(false));
}

function measure() {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  mostMb = Math.max(mostMb, Number(kilobytes ?? 0) / 1024);
}

setInterval(() => {
  measure();
  ask();
}, everyMs);

/** Answers each message with what was measured since the last one. */
parentPort.on("message", () => {
  const sorted = tookMs.toSorted((a, b) => a - b);
  const percentile = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.POSITIVE_INFINITY;
  parentPort.postMessage({ asked: sorted.length, waiting: underWay, p50: percentile(0.5), p99: percentile(0.99), mostMb });
  tookMs = [];
  mostMb = 0;
});
