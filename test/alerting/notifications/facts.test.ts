import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { headline } from "../../../src/alerting/email/content.ts";
import { findAlertFacts } from "../../../src/alerting/notifications/facts-repository.ts";
import { type AlertDesk, openAlertDesk, withMail } from "../alerts/alert-desk.ts";

let desk: AlertDesk;
beforeAll(async () => {
  desk = await openAlertDesk(withMail);
});
afterAll(() => desk.close());
beforeEach(() => desk.empty());

it.each(["person", "Person"])(
  "notification facts: a rule about %s lists that object first, even at a lower confidence",
  async (objectType) => {
    await desk.ask("createRule", { body: { name: "At the door", severity: "high", object_types: [objectType], channels: ["email"] } });
    await desk.event({ seen: { car: 0.95, person: 0.6 } });
    await desk.look();
    const [alert] = await desk.alerts();
    const facts = await desk.db.query((sql) => findAlertFacts(sql, alert?.id ?? ""));
    expect(facts?.objectTypes).toEqual(["person", "car"]);
    const message = { notificationId: "1", createdAt: new Date(), late: undefined, heldBack: undefined };
    expect(facts && headline({ ...message, alert: facts }, "UTC")).toBe("[High] Person at Yard, Sun 1 Mar 2026 12:00");
  },
);
