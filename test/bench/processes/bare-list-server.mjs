// The same statements as the daemon's list of events, over postgres.js in a bare HTTP server.
import { createServer } from "node:http";
import postgres from "postgres";
import { answering } from "./answering.mjs";

answering(async ({ databaseUrl, list, count }) => {
  const sql = postgres(databaseUrl, { max: 10 });
  const run = ({ text, parameters }) => sql.unsafe(text, parameters, { prepare: true });
  const server = createServer(async (_request, response) => {
    const [items, [total]] = await Promise.all([run(list), run(count)]);
    const body = JSON.stringify({ items, pagination: { total: Number(total.count) } });
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
    response.end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${server.address().port}`;
});
