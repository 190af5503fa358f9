// Repeats one GET on keep-alive connections for a number of milliseconds, with one request at a time on each connection.
import { Pool } from "undici";
import { answering } from "./answering.mjs";

answering(async ({ url, connections, forMs }) => {
  const { origin, pathname, search } = new URL(url);
  const pool = new Pool(origin, { connections });
  const startedAt = performance.now();
  const tookMs = [];
  const client = async () => {
    while (performance.now() - startedAt < forMs) {
      const sentAt = performance.now();
      const { statusCode, body } = await pool.request({ path: pathname + search, method: "GET" });
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}: ${text}`);
      tookMs.push(performance.now() - sentAt);
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
  const perSecond = (tookMs.length * 1000) / (performance.now() - startedAt);
  await pool.close();
  return { perSecond, tookMs };
});
