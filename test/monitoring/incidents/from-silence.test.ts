import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { testDaemon } from "../../support/daemon.ts";
import { testDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { mailServer } from "../../support/mail-server.ts";
import { renameIn, uniqueJpeg } from "../../support/pictures.ts";
import { detectorStandIn } from "../../support/upstream.ts";

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

it("from a camera that falls silent to a mail, and to the end of the event and another mail when it is back", async () => {
  const [mail, database, detector] = await Promise.all([mailServer(), testDatabase({ max: 1 }), detectorStandIn()]);
  ends.push(
    () => mail.close(),
    () => database.close(),
    () => detector.close(),
  );
  const daemon = await testDaemon({
    env: {
      DATABASE_URL: database.url,
      DETECTOR_URL: detector.url,
      CAMERA_OFFLINE_AFTER_SECONDS: "2",
      SMTP_HOST: "127.0.0.1",
      SMTP_PORT: String(mail.port),
      SMTP_FROM_ADDRESS: "homesec@example.org",
      DEFAULT_EMAIL_RECIPIENTS: "ada@example.org",
    },
  });
  ends.push(() => daemon.stop());
  const ask = async <T>(path: string, body?: object): Promise<T> => {
    const init = body && { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    return (await (await fetch(`${daemon.url}${path}`, init)).json()) as T;
  };
  const incidents = async () =>
    (await ask<{ items: { id: number; summary: string }[] }>("/api/events?kind=camera_health")).items.map(({ id, summary }) => ({
      id,
      summary,
    }));

  await ask("/api/alerts/rules", { name: "A camera is dead", kind: "camera_health", severity: "high", channels: ["email"] });
  await renameIn(join(daemon.cameraRoot, "gate", "1.jpg"), await uniqueJpeg());
  await eventually(async () => mail.mails.length === 1, { timeoutMs: 30_000 });

  const [incident] = await incidents();
  expect(incident?.summary).toBe("Camera gate is silent: no picture for 2 s.");
  expect(mail.mails[0]?.mail.headers["subject"]).toMatch(/^\[High\] Problem with camera gate/);
  const alerts = await ask<{ items: object[] }>("/api/alerts");
  expect(alerts.items).toMatchObject([{ event_id: incident?.id, severity: "high", camera_id: "gate" }]);

  await renameIn(join(daemon.cameraRoot, "gate", "2.jpg"), await uniqueJpeg(1));
  await eventually(
    async () =>
      /^Camera gate was silent for \d+ s: no picture for 2 s\.$/.test(
        (await incidents()).find(({ id }) => id === incident?.id)?.summary ?? "",
      ),
    {
      timeoutMs: 30_000,
    },
  );
  await eventually(async () => mail.mails.length === 2, { timeoutMs: 30_000, what: "the mail that it is over" });
  expect(mail.mails[1]?.mail.headers["subject"]).toMatch(/^Resolved: problem with camera gate/);
  expect(mail.mails[1]?.mail.headers["in-reply-to"]).toBe(mail.mails[0]?.mail.headers["message-id"]);
}, 90_000);
