import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { shownInGerman } from "../../support/german.ts";
import { type Desk, openDesk } from "../../support/operations.ts";
import { quietRuntime } from "../../support/runtime.ts";
import { verdictText } from "../../support/upstream.ts";
import { atSecond, type Stored, start, storedIn } from "./stored.ts";

/** Words of other programs. */
const quoted: readonly RegExp[] = [
  /^(No JSON object in the answer|Connection refused|HTTP \d+|25\d ok|451 \w+|It kills the process)\.$/i,
  /^tried\.$/,
  /^object_type person is not car/,
];

let desk: Desk;
let stored: Stored;

beforeEach(async () => {
  desk = await openDesk();
  desk.at(atSecond(60));
  stored = storedIn(desk);
  await stored.camera("yard");
});
afterEach(() => desk.close());

const explain = async (id: number) => shownInGerman(await desk.ask("explainEvent", { params: { event_id: String(id) } }), quoted);
const texts = async (id: number, step: string) => (await explain(id)).steps.filter((each) => each.step === step).map(({ text }) => text);

describe("explain: chain of an event that raised an alert", () => {
  test("lists all steps in order, with times, reasons and every attempt", async () => {
    const first = await stored.image();
    const eventId = await stored.event({ images: [first, await stored.image({ foundBy: "scan" })], score: 42 });
    await stored.attempt(eventId, 1, { outcome: "unreadable", answer: "I would say forty.", error: "no JSON object in the answer" });
    await stored.attempt(eventId, 2, { outcome: "completed", answer: verdictText(42) });
    const ruleId = await stored.rule("People at night", { threshold: 40 });
    const alertId = await stored.alert(eventId, ruleId, { status: "delivered" });
    await stored.verdict(eventId, ruleId, { outcome: "raised", matched: ["risk_score >= 40"], alertId });
    await stored.notification(alertId, { channel: "email", status: "sent", tries: ["451 greylisted", "250 ok"] });
    await stored.delivery(alertId, { type: "alert_fired", status: "success", tries: ["connection refused", 204] });
    await stored.delivery(String(eventId), { type: "event_created", status: "failed", tries: [500] });
    // Ids of other things may look the same
    await stored.delivery(String(eventId), { type: "entity_discovered", status: "success", tries: [200] });

    const { subject, found, outcome, steps } = await explain(eventId);
    expect([subject, found]).toEqual([{ type: "event", id: String(eventId) }, true]);
    expect(outcome).toBe(
      `Alert ${alertId} (high) was raised by rule "People at night" and is delivered: sent by email and to webhook "Team chat".`,
    );
    expect(steps.map(({ step, status }) => `${step} ${status}`)).toEqual([
      ...["file_seen done", "file_complete done", "detection done"],
      ...["file_seen done", "file_complete done", "detection done"],
      ...["batch done", "event done", "analysis failed", "analysis done", "score done", "rule done", "alert done"],
      ...["notification_attempt failed", "notification_attempt done", "notification done"],
      ...["webhook_attempt failed", "webhook_attempt done", "webhook_delivery done", "webhook_attempt failed", "webhook_delivery failed"],
    ]);
    // A delivery failed at its last attempt, not when it was queued
    expect(steps.at(-1)?.at).toEqual(steps.at(-2)?.at);
    const text = steps.map((step) => step.text).join("\n");
    for (const part of [
      "1.jpg (41000 bytes, image/jpeg, 768 x 576) arrived at camera yard, and the watcher saw it immediately.",
      `recorded as image ${first}, 12 ms after its arrival.`,
      "2.jpg (41000 bytes, image/jpeg, 768 x 576) was found by a scan of the folder of camera yard",
      "The detector yolo-test processed it (35 ms of inference, 40 ms in total) and found 1 detection: person 91 %.",
      "The batch had 2 detections within 4 s and closed because no more detections came.",
      "Analysis attempt 1: test-model answered after 800 ms, but the answer could not be read: No JSON object in the answer.",
      "Analysis attempt 2: test-model answered after 800 ms, read as score 42.",
      'Rule "People at night" matched (the risk score is 40 or more) and raised alert',
      "The notification by email, attempt 1, failed and will be retried after 200 ms: 451 greylisted.",
      'alert_fired to webhook "Team chat" was delivered within 2 s.',
      'event_created to webhook "Team chat", attempt 1, failed after 100 ms: HTTP 500.',
    ]) {
      expect(text).toContain(part);
    }
    expect(steps[0]?.at).toBe(new Date(start.getTime() + 1000).toISOString());
    expect(steps.find(({ step }) => step === "analysis")?.details).toMatchObject({
      outcome: "unreadable",
      answer: "I would say forty.",
      reading: { error: expect.any(String) },
    });
  });

  test("explains the alert without the other alerts of its event", async () => {
    const eventId = await stored.event({ images: [await stored.image()], score: 42 });
    const [ruleId, other] = [await stored.rule("mine"), await stored.rule("other")];
    const alertId = await stored.alert(eventId, ruleId);
    const otherAlert = await stored.alert(eventId, other);
    await stored.verdict(eventId, ruleId, { outcome: "raised", alertId });
    await stored.verdict(eventId, other, { outcome: "raised", alertId: otherAlert });
    await stored.notification(alertId, {
      channel: "email",
      status: "waiting",
      reason: "the mail server does not answer",
      tries: ["timed out"],
    });
    await stored.notification(otherAlert, { channel: "webhook", status: "failed", tries: ["nobody lives here"] });
    const { subject, outcome, steps } = await desk.ask("explainAlert", { params: { alert_id: alertId.toUpperCase() } });
    expect(subject).toEqual({ type: "alert", id: alertId });
    expect(outcome).toBe(`Alert ${alertId} (high) was raised by rule "mine" and is pending: waiting to be sent by email.`);
    const text = JSON.stringify(steps);
    expect(text).toContain("the mail server does not answer".slice(1));
    expect(text).not.toContain(otherAlert);
    expect(text).not.toContain("nobody lives here");
    for (const id of [otherAlert.replace(/^./, "z"), "nothing", "42"]) {
      await expect(desk.ask("explainAlert", { params: { alert_id: id } })).rejects.toMatchObject({ kind: "not_found" });
    }
  });
});

describe("explain: alerts of one event in one mail", () => {
  test("names the message that reports both, with its attempts", async () => {
    const eventId = await stored.event({ images: [await stored.image()], score: 42 });
    const alertIds: string[] = [];
    for (const name of ["first", "second"]) {
      const ruleId = await stored.rule(name);
      const alertId = await stored.alert(eventId, ruleId, { status: "delivered" });
      await stored.verdict(eventId, ruleId, { outcome: "raised", alertId });
      await stored.notification(alertId, { channel: "email", status: "sent", tries: name === "first" ? ["451 later", "250 ok"] : [] });
      alertIds.push(alertId);
    }
    await desk.db.query(
      (sql) => sql`
        update notifications n
        set joined_to = l.notification_id
        from notifications l
        where l.alert_id = ${alertIds[0] ?? ""}
          and n.alert_id = ${alertIds[1] ?? ""}
      `,
    );
    const { outcome, steps } = await desk.ask("explainAlert", { params: { alert_id: alertIds[1] ?? "" } });
    expect(outcome).toMatch(/raised by rule "second" and is delivered: sent by email\.$/);
    const texts = steps.filter(({ step }) => step.startsWith("notification")).map(({ text }) => text);
    expect(texts).toHaveLength(3);
    expect(texts).toEqual(
      expect.arrayContaining([
        expect.stringContaining("attempt 1, failed and will be retried"),
        expect.stringContaining("attempt 2, was accepted"),
        expect.stringMatching(/^The notification by email was sent .* It is part of the message about rule "first"\.$/),
      ]),
    );
    expect((await explain(eventId)).steps.filter(({ step }) => step === "notification_attempt")).toHaveLength(2);
  });
});

describe("explain: an alert whose rule has no channel", () => {
  const outcomeWith = async (...deliveries: readonly Parameters<Stored["delivery"]>[1][]) => {
    const eventId = await stored.event({ images: [await stored.image()], score: 42 });
    const alertId = await stored.alert(eventId, await stored.rule("Anyone"), { status: "delivered" });
    for (const delivery of deliveries) await stored.delivery(alertId, delivery);
    const [, told] = (await explain(eventId)).outcome.split(" and is delivered: ");
    return told;
  };

  test.each([
    ["no webhook", [], "shown to live clients only, because its rule has no channel."],
    ["a webhook that has it", [{ type: "alert_fired", status: "success", tries: [204] }], 'sent to webhook "Team chat".'],
    ["a webhook that waits", [{ type: "alert_fired", status: "retrying", tries: [503] }], 'waiting to be sent to webhook "Team chat".'],
    [
      "a webhook about other things",
      [{ type: "alert_acknowledged", status: "success", tries: [204] }],
      "shown to live clients only, because its rule has no channel.",
    ],
  ] as const)("names %s", async (_, deliveries, told) => {
    expect(await outcomeWith(...deliveries)).toBe(told);
  });

  test("names a webhook that failed for good, with its answer", async () => {
    expect(await outcomeWith({ type: "alert_fired", status: "failed", tries: [404] })).toMatch(/^webhook "Team chat" failed( \(.+\))?\.$/);
  });
});

describe("explain: why an event raised no alert", () => {
  test("names conditions that failed, and the alert whose cooldown suppressed it", async () => {
    const [earlier, eventId] = [
      await stored.event({ images: [await stored.image()], score: 50 }),
      await stored.event({ images: [await stored.image()], score: 42 }),
    ];
    const [night, person] = [await stored.rule("night", { threshold: 70 }), await stored.rule("person")];
    const alertId = await stored.alert(earlier, person, { at: atSecond(10) });
    await stored.verdict(eventId, night, { outcome: "not_matched", failed: ["risk_score 42 < 70"] });
    await stored.verdict(eventId, person, { outcome: "suppressed", matched: ["object_type in [person]"], suppressedBy: alertId });
    const held = `Rule "person" matched (a person was seen), but the cooldown of alert ${alertId}, raised 2026-03-01T22:15:10.000Z for event ${earlier}, suppressed it until 2026-03-01T22:20:40.000Z.`;
    expect(await texts(eventId, "rule")).toEqual([
      held,
      'Rule "night" did not match: the risk score is 42, and the rule needs 70 or more.',
    ]);
    expect((await explain(eventId)).outcome).toBe(`Event ${eventId} raised no alert. ${held} 1 other rule raised no alert either.`);
    expect((await texts(earlier, "alert"))[0]).toContain("Its cooldown suppressed 1 later match.");
  });

  test("says when there is no rule", async () => {
    const eventId = await stored.event({ images: [await stored.image()], score: 42 });
    expect((await explain(eventId)).outcome).toBe(`Event ${eventId} raised no alert: there is no alert rule.`);
  });

  test("says why a rule was not evaluated: disabled, newer, waiting for the score, queued, dead", async () => {
    const eventId = await stored.event({ images: [await stored.image()] });
    await stored.rule("off", { enabled: false });
    await stored.rule("young", { createdAt: atSecond(50) });
    await stored.rule("scored", { threshold: 70 });
    await stored.rule("plain");
    const rules = async () =>
      Object.fromEntries((await texts(eventId, "rule")).map((text) => text.slice(6).split('" was not evaluated: ')));
    expect(await rules()).toEqual({
      off: "it is disabled.",
      young: "it is newer than the event.",
      scored: "it needs a risk score of at least 70, and the event has none yet.",
      plain: "it never evaluated the event.",
    });
    await desk.db.query(
      (sql) => sql`insert into jobs (queue, subject, position, available_at) values ('alert', ${`${eventId}:stored:1`}, now(), now())`,
    );
    expect((await rules())["plain"]).toBe("its evaluation is queued.");
    await desk.db.query((sql) => sql`update jobs set status = 'dead', last_error = 'it kills the process'`);
    expect((await rules())["plain"]).toBe("its evaluation is in the dead letters: It kills the process.");
    await desk.db.query((sql) => sql`update events set analysis_status = 'failed'`);
    expect((await rules())["scored"]).toContain("and the analysis failed");
  });

  test("names a rule that still waits for the score, even one newer than the event", async () => {
    const eventId = await stored.event({ images: [await stored.image()] });
    const plain = await stored.rule("plain");
    await stored.verdict(eventId, plain, { outcome: "not_matched", failed: ["object_type person is not car"] });
    expect((await explain(eventId)).outcome).toMatch(/^Event \d+ raised no alert\. Rule "plain" did not match/);
    await stored.rule("scored", { threshold: 70, createdAt: atSecond(50) });
    const needs = 'Rule "scored" was not evaluated: it needs a risk score of at least 70, and the event has none yet.';
    expect((await explain(eventId)).outcome).toBe(`Event ${eventId} raised no alert yet. ${needs} 1 other rule raised no alert either.`);
    expect(await texts(eventId, "rule")).toContain(needs);
  });

  test("says that a score was kept of answers that were not as they should be", async () => {
    const eventId = await stored.event({ images: [await stored.image()], score: 85 });
    const answer = `${verdictText(85)} ${verdictText(5)}`;
    const error =
      "the answer has verdicts with different scores (85, 5); it must have one; after a second try, homesec kept the highest valid score";
    await stored.attempt(eventId, 1, { outcome: "completed", answer, error });
    expect(await texts(eventId, "analysis")).toEqual([
      `Analysis attempt 1: test-model answered after 800 ms, read as score 85. The ${error.slice(4)}.`,
    ]);
  });

  test("says what a pending analysis waits for, and how to repeat a failed one", async () => {
    const eventId = await stored.event({ images: [await stored.image()] });
    await desk.db.query(
      (sql) => sql`
        insert into jobs (queue, subject, position, available_at, last_error)
        values ('analyze', ${String(eventId)}, now(), ${atSecond(75)}, 'connection refused')
      `,
    );
    expect(await texts(eventId, "score")).toEqual([
      "The event has no risk score yet. The next attempt is in 15 s; the last attempt failed: Connection refused.",
    ]);
    const breaker = {
      name: "language_model" as const,
      state: "open" as const,
      failure_count: 3,
      last_failure: atSecond(59),
      last_success: null,
    };
    Object.assign(desk.context, { runtime: quietRuntime({ breakers: () => [{ ...breaker, reset_at: atSecond(88) }] }) });
    expect(await texts(eventId, "score")).toEqual([
      "The event has no risk score yet. The language model failed repeatedly, so its circuit breaker is open; homesec retries in 28 s. To retry now: `homesec breakers reset language_model`.",
    ]);
    const failed = await stored.event({ images: [await stored.image()], failed: true });
    expect((await texts(failed, "score"))[0]).toContain(`\`homesec events reanalyze ${failed}\``);
  });

  test("uses the times within a video for its batch, although they are before its arrival", async () => {
    const eventId = await stored.event({ images: [await stored.image(), await stored.image()] });
    await desk.db.query(async (sql) => {
      await sql`update detections set detected_at = detected_at - interval '8 seconds' where event_id = ${eventId}`;
      // An event begins with its first detection
      await sql`update events set started_at = started_at - interval '8 seconds' where event_id = ${eventId}`;
    });
    const { steps } = await explain(eventId);
    expect(steps.find(({ step }) => step === "batch")?.text).toContain("had 2 detections within 12 s");
  });

  test("explains deleted events and events from the API, and answers 404 for unknown ones", async () => {
    const reply = await desk.ask("createEvents", {
      body: { events: [{ camera_id: "yard", started_at: "2026-03-01T12:00:00Z", risk_score: 5 }] },
    });
    const id = reply.results[0]?.id ?? 0;
    await desk.ask("deleteEvent", { params: { event_id: String(id) } });
    const [text] = await texts(id, "event");
    expect(text).toContain("It came through the API, not from a batch. It has been deleted.");
    await expect(explain(999_999)).rejects.toMatchObject({ kind: "not_found" });
  });

  test("shows the first of many pictures, and counts the others", async () => {
    const images: number[] = [];
    for (let n = 0; n < 13; n += 1) images.push(await stored.image());
    const eventId = await stored.event({ images });
    const { steps } = await explain(eventId);
    expect(steps.filter(({ step }) => step === "file_seen")).toHaveLength(10);
    expect(await texts(eventId, "more_pictures")).toEqual([
      `3 more pictures belong to the event; \`homesec events show ${eventId}\` lists the detections.`,
    ]);
  });
});
