// Records the messages of an alert in docs/ from a real run, as services receive them: `npm run docs:messages`. Needs Chromium.

import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium } from "playwright-core";
import sharp from "sharp";
import { address, ask, docs, openEvening } from "./evening.mjs";

const received = [];
const server = createServer(async (request, response) => {
  const body = [];
  for await (const chunk of request) body.push(chunk);
  received.push({ path: request.url, headers: request.headers, body: Buffer.concat(body) });
  response.setHeader("Content-Type", "application/json");
  response.end(request.url.startsWith("/api/services/") ? "[]" : JSON.stringify({ id: "x", event: "message" }));
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const services = `http://127.0.0.1:${server.address().port}`;

const escaped = (value) => value.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const decoded = (header = "") => Buffer.from(header.replace(/^=\?UTF-8\?B\?|\?=$/g, ""), "base64").toString();
const shown = (picture) => `data:image/jpeg;base64,${picture.toString("base64")}`;
const load = async (url) => Buffer.from(await (await fetch(url)).arrayBuffer());

/** A message: title, text, picture and buttons. */
function card({ app, title, lines, picture, buttons = [] }) {
  const texts = lines.map((line) => `<p>${line}</p>`).join("");
  const row = buttons.map((label) => `<b>${escaped(label)}</b>`).join("");
  return `<article><small>${app}</small><h1>${escaped(title)}</h1>${texts}${picture ? `<img src="${picture}">` : ""}<footer>${row}</footer></article>`;
}

const style = `body { margin: 0; padding: 20px; background: #dfe3ea; font: 15px/1.4 system-ui, sans-serif; width: 420px }
article { background: #fff; border-radius: 16px; padding: 16px; color: #1b1e24 }
small { color: #667 } h1 { font-size: 17px; margin: 4px 0 6px } p { margin: 0 0 4px; overflow-wrap: anywhere } img { width: 100%; border-radius: 10px; margin-top: 8px }
footer { display: flex; gap: 18px; color: #1f5fbf } footer:empty { display: none } footer b { margin-top: 12px }`;

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });

async function draw(file, content) {
  const page = await browser.newPage({ viewport: { width: 460, height: 400 }, deviceScaleFactor: 1.5 });
  await page.setContent(`<style>${style}</style>${card(content)}`);
  await page.waitForLoadState("networkidle");
  await writeFile(
    join(docs, file),
    await sharp(await page.screenshot({ fullPage: true }))
      .webp({ quality: 78, effort: 6 })
      .toBuffer(),
  );
  await page.close();
}

const linesOf = (message) =>
  message
    .split("\n")
    .filter((line) => line !== "")
    .map(escaped);

const evening = openEvening({ PUBLIC_URL: address });
try {
  await evening.start(["push"]);
  await ask("/api/channels", { kind: "ntfy", name: "Anna's phone", settings: { server: services, topic: "home-7Qm2xK" } });
  const token = { server: services, service: "mobile_app_annas_phone", token: "a-token-of-home-assistant" };
  await ask("/api/channels", { kind: "home_assistant", name: "Home Assistant", settings: token });
  await ask("/api/outbound-webhooks", { name: "Chat", url: `${services}/chat`, event_types: ["alert_fired"], integration_type: "slack" });
  received.length = 0;
  await evening.run();
  await sleep(25_000);
  const find = (start) => received.find(({ path, body }) => path.startsWith(start) && body.length > 0);

  const { headers, body } = find("/home-7Qm2xK");
  const buttons = JSON.parse(headers["x-actions"] ?? "[]").map(({ label }) => label);
  const lines = linesOf(decoded(headers["x-message"]));
  await draw("message-phone.webp", { app: "ntfy", title: decoded(headers["x-title"]), lines, picture: shown(body), buttons });

  const { title, message, data } = JSON.parse(find("/api/services/").body);
  await draw("message-home-assistant.webp", {
    app: "Home Assistant",
    title,
    lines: linesOf(message),
    picture: shown(await load(data.image)),
  });

  const { blocks } = JSON.parse(find("/chat").body);
  const markdown = (value) =>
    value
      .replaceAll("\u200b", "")
      .replace(/^\*(.+)\*\n/, "<strong>$1:</strong> ")
      .replace(/<([^|>]+)\|([^>]+)>/g, '<a href="#">$2</a>')
      .replace(/`([^`]+)`/g, "<code>$1</code>");
  const [{ text: header }, ...rest] = blocks;
  const texts = rest.flatMap(({ text: one, fields = [], elements = [] }) => [one, ...fields, ...elements]).filter(Boolean);
  await draw("message-chat.webp", { app: "Slack", title: header.text, lines: texts.map(({ text: line }) => markdown(line)) });
} finally {
  await browser.close();
  await evening.close();
  server.close();
}
