import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import WebSocket from "ws";
import { testDaemon } from "../../support/daemon.ts";
import { testDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/free-port.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { detectorStandIn, languageModelStandIn } from "../../support/upstream.ts";

const program = ["/usr/bin/prometheus-alertmanager", "/usr/local/bin/alertmanager"].find(existsSync);
if (program === undefined) process.stderr.write("SKIPPED: no Alertmanager is installed here (apt-get install prometheus-alertmanager)\n");

test.skipIf(program === undefined)(
  "alert receiver: an alert posted to a real Alertmanager reaches a WebSocket client, firing and resolved",
  async () => {
    const [database, detector, model] = await Promise.all([testDatabase(), detectorStandIn(), languageModelStandIn()]);
    const daemon = await testDaemon({
      env: { DATABASE_URL: database.url, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url },
    });
    const folder = temporaryFolder("alertmanager");
    const config = join(folder.path, "alertmanager.yml");
    await mkdir(folder.path, { recursive: true });
    await writeFile(config, configuration(`${daemon.url}/api/webhooks/alerts`));
    const port = await freePort();
    const address = `http://127.0.0.1:${port}`;
    const manager = spawn(
      program ?? "",
      [`--config.file=${config}`, `--storage.path=${folder.path}`, `--web.listen-address=127.0.0.1:${port}`, "--cluster.listen-address="],
      { stdio: "ignore" },
    );
    const ended = new Promise((resolve) => manager.once("exit", resolve));
    const heard: { type: string; data: Record<string, unknown> }[] = [];
    const socket = new WebSocket(`${daemon.url.replace("http", "ws")}/ws/events`);
    socket.on("message", (text) => heard.push(JSON.parse(String(text))));
    try {
      await eventually(async () => (await fetch(`${address}/-/ready`).catch(() => undefined))?.ok === true);
      const startsAt = new Date(Date.now() - 60_000).toISOString();
      const alert = {
        labels: { alertname: "DiskFull", severity: "warning", component: "storage" },
        annotations: { summary: "The disk is full" },
        startsAt,
      };
      await send(`${address}/api/v2/alerts`, [alert]);
      const message = (status: string) =>
        eventually(() => heard.find(({ type, data }) => type === "infrastructure_alert" && data["status"] === status), {
          timeoutMs: 30_000,
        });
      const expected = {
        alertname: "DiskFull",
        severity: "warning",
        component: "storage",
        summary: "The disk is full",
        started_at: startsAt,
      };
      expect((await message("firing")).data).toEqual({
        ...expected,
        status: "firing",
        description: "",
        fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
        receiver: "homesec",
      });
      await send(`${address}/api/v2/alerts`, [{ ...alert, endsAt: new Date().toISOString() }]);
      expect((await message("resolved")).data).toMatchObject(expected);
      const list = (await (await fetch(`${daemon.url}/api/webhooks/alerts`)).json()) as { items: Record<string, unknown>[] };
      expect(list.items.map((item) => item["status"]).toSorted()).toEqual(["firing", "resolved"]);
    } finally {
      socket.close();
      manager.kill();
      await ended;
      await daemon.stop();
      await Promise.all([detector.close(), model.close(), database.close(), folder.remove()]);
    }
  },
  90_000,
);

function configuration(url: string): string {
  return `route:
  receiver: homesec
  group_wait: 100ms
  group_interval: 1s
  repeat_interval: 1h
receivers:
  - name: homesec
    webhook_configs:
      - url: ${url}
        send_resolved: true
`;
}

async function send(url: string, body: unknown): Promise<void> {
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  expect(response.status, await response.text()).toBe(200);
}
