import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { type Clock, systemClock } from "../../../src/base/clock/clock.ts";
import { create } from "../../chaos/support/send.ts";
import { testDaemon } from "../../support/daemon.ts";
import { testDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { receiver } from "../../support/receiver.ts";

const hourMs = 3_600_000;
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A clock that is ahead of the real time. */
const ahead = (ms: () => number): Clock => ({ now: () => new Date(Date.now() + ms()), monotonic: systemClock.monotonic });

test("a message in progress is not sent again if the clock of another daemon is ahead or its own clock was changed", async () => {
  const database = await testDatabase();
  const target = await receiver(() => "hang");
  closing.push(() => database.close(), target.close);
  let setMs = 0;
  const env = { DATABASE_URL: database.url, WEBHOOK_TIMEOUT_SECONDS: "60" };
  const sender = await testDaemon({ env: { ...env, ROLES: "api,deliver" }, clock: ahead(() => setMs) });
  closing.push(sender.stop);
  const neighbour = await testDaemon({ env: { ...env, ROLES: "maintain" }, clock: ahead(() => hourMs) });
  closing.push(neighbour.stop);
  await create(`${sender.url}/api/cameras`, { name: "yard" });
  await create(`${sender.url}/api/outbound-webhooks`, { name: "Slow", url: target.url, event_types: ["event_created"] });
  await fetch(`${sender.url}/api/events/bulk`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ events: [{ camera_id: "yard", started_at: "2026-01-02T00:00:00Z" }] }),
  });
  await eventually(() => target.received.length > 0);
  // each caretaker runs once a second
  await sleep(2_200);
  expect(target.received).toHaveLength(1);
  setMs = hourMs;
  await sleep(2_200);
  expect(target.received).toHaveLength(1);
});
