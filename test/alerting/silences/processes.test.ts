import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { processEndedSilences } from "../../../src/alerting/alerts/ended-silences.ts";
import { bundled } from "../../support/bundled.ts";
import { eventually } from "../../support/eventually.ts";
import { type AlertDesk, openAlertDesk, withMail } from "../alerts/alert-desk.ts";

let desk: AlertDesk;
let children: ChildProcess[] = [];
beforeAll(async () => {
  desk = await openAlertDesk(withMail);
});
afterAll(() => desk.close());
afterEach(() => {
  for (const child of children) if (child.exitCode === null) child.kill("SIGKILL");
});

const events = 80;
const silenced = async () => {
  const [row] = await desk.db.query((sql) => sql<[{ count: number }]>`select count(*) as count from silenced_alerts`);
  return row.count;
};

it.each(["by hand", "by time"])(
  "silence: four processes that evaluate events and others that end the silence %s agree on each alert: muted and summarised, or raised",
  async (how) => {
    await desk.db.query((sql) => sql`truncate silences cascade`);
    await desk.empty();
    desk.at(new Date());
    await desk.rule({ cooldown_seconds: 0, channels: ["email"] });
    const { failed } = await desk.ask("createEvents", {
      body: { events: Array.from({ length: events }, () => ({ camera_id: "yard", started_at: "2026-03-01T12:00:00Z" })) },
    });
    expect(failed).toBe(0);
    const looker = await bundled("test/alerting/alerts/processes/looker.mjs");
    children = Array.from({ length: 4 }, () => fork(looker, [desk.url], { execArgv: [] }));
    await Promise.all(children.map((child) => once(child, "message")));

    desk.at(new Date());
    const { id } = await desk.ask("createSilence", { body: { camera_id: "yard", reason: "Painters", duration_seconds: 3_600 } });
    const done = children.map((child) => once(child, "message"));
    for (const child of children) child.send("go");
    await eventually(async () => (await silenced()) >= 10);
    if (how === "by time") {
      // As if this much time had passed.
      await desk.db.query((sql) => sql`update silences s set ends_at = clock_timestamp() + interval '20 ms' where s.silence_id = ${id}`);
    } else {
      desk.at(new Date());
      const ends = await Promise.allSettled([1, 2, 3].map(() => desk.ask("endSilence", { params: { id } })));
      expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    }
    let taken = 0;
    const takeUp = () =>
      eventually(async () => {
        const own = await processEndedSilences(desk.db, desk.delivery, new Date(), 10);
        taken += own.length;
        return taken > 0;
      });
    await Promise.all([takeUp(), takeUp(), takeUp()]);
    expect(taken).toBe(1);
    await Promise.all(done);

    const verdicts = await desk.verdicts();
    const hidden = verdicts.filter(({ silence_id }) => silence_id === id);
    expect(verdicts).toHaveLength(events);
    expect(hidden.length).toBeGreaterThan(0);
    expect(hidden.every(({ outcome }) => outcome === "suppressed")).toBe(true);
    expect((await desk.alerts()).length).toBe(events - hidden.length);
    // Nothing was muted after the summary was counted.
    expect(await desk.journal("silence.ended")).toMatchObject([{ id, held_back: hidden.length }]);
    expect(await silenced()).toBe(hidden.length);
    const [told] = await desk.db.query(
      (sql) => sql<[{ count: number }]>`select count(*) as count from notifications n where n.silence_id = ${id}`,
    );
    expect(told.count).toBe(1);
  },
);
