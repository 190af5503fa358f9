import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { createApp } from "../../../daemon/http/app.ts";
import { listen } from "../../../daemon/http/listen.ts";
import { docsPage } from "../../../src/admin/documents/docs-page.ts";
import { operations } from "../../../src/all-operations.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { routes } from "../../../src/contract/routes/index.ts";
import { openDesk } from "../../support/operations.ts";

test("/docs page: shows every route, runs no script, loads nothing, and its style matches the content security policy", async () => {
  const desk = await openDesk();
  const app = createApp({ operations, context: desk.context, log: silentLog, allowedHosts: [] });
  const listening = await listen({ app, host: "127.0.0.1", port: 0 });
  try {
    const response = await fetch(`http://127.0.0.1:${listening.port}/docs`);
    const page = await response.text();
    expect(response.headers.get("content-type")).toContain("text/html");
    for (const { path } of Object.values(routes)) expect(page).toContain(`<code>${path}</code>`);
    // An example of an answer, one of a body, and the shared ones of errors
    expect(page).toContain("1 person at Front door, for 40 s.");
    expect(page).toContain("The neighbour with her dog.");
    const anchors = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    expect([...page.matchAll(/href="#([^"]+)"/g)].filter(([, id]) => !anchors.has(id))).toEqual([]);
    // Addresses in examples are text; the only link is relative, so that it works behind a proxy with a path
    expect(page).not.toMatch(/<script|<link|<img|src=|href="(?!#|openapi\.json")|url\(|@import/);
    expect(page).toContain('<a href="openapi.json">');
    const style = page.match(/<style>([\s\S]*?)<\/style>/)?.[1] ?? "";
    const hash = createHash("sha256").update(style).digest("base64");
    expect(response.headers.get("content-security-policy")).toContain(`style-src 'sha256-${hash}'`);
  } finally {
    await listening.close();
    await desk.close();
  }
});

test("/docs page: shows texts of the document as text, never as markup", () => {
  const page = docsPage({
    info: { title: "<b>x</b>", version: '"1"' },
    paths: {
      "/<i>": {
        get: {
          summary: "<script>alert(1)</script>",
          tags: ["a&b"],
          responses: { "200": { content: { "application/json": { example: "<script>" } } } },
        },
      },
    },
    components: {
      schemas: { Thing: { description: "</pre><script>" } },
      examples: { Refused: { summary: "<script>", value: "<script>" } },
      headers: { Odd: { description: "<script>" } },
    },
  });
  expect(page).not.toMatch(/<b>x|<i>|<script/);
  expect(page).toContain("&lt;script&gt;alert(1)");
});
