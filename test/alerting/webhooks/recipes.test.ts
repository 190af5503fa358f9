import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { bodyOf } from "../../../src/alerting/webhooks/request.ts";
import { samplesOf } from "../../../src/alerting/webhooks/samples.ts";
import { outboundEventTypes } from "../../../src/contract/constants.ts";
import { outboundEvents } from "../../../src/contract/outbound-events.ts";
import { type Desk, openDesk } from "../../support/operations.ts";
import { type Receiver, receiver } from "../../support/receiver.ts";

const page = readFileSync(new URL("../../../docs/chat.md", import.meta.url), "utf8");
const [ntfy = "", gotify = "", pushover = ""] = [...page.matchAll(/```jinja\n([\s\S]*?)```/g)].map((match) => match[1] ?? "");
const templates = readFileSync(new URL("../../../docs/templates.md", import.meta.url), "utf8");
const first = /```jinja\n([\s\S]*?)```/.exec(templates)?.[1] ?? "";

/** The service accepts this, according to its documentation. */
const messages = {
  ntfy: z.strictObject({
    topic: z.string().regex(/^[\w-]{1,64}$/),
    title: z.string().min(1),
    message: z.string().min(1).max(4096),
    priority: z.int().min(1).max(5),
    attach: z.url().optional(),
    click: z.url().optional(),
  }),
  gotify: z.strictObject({ title: z.string().min(1), message: z.string().min(1), priority: z.int().min(0).max(10) }),
  pushover: z.strictObject({
    ...{ token: z.string(), user: z.string(), title: z.string().min(1).max(250), message: z.string().min(1).max(1024) },
    ...{ priority: z.int().min(-2).max(1), url: z.url().max(512).optional(), url_title: z.string().max(100).optional() },
  }),
};

let desk: Desk;
let target: Receiver;
beforeAll(async () => {
  desk = await openDesk({ PUBLIC_URL: "https://home.example.org" });
});
afterAll(() => desk.close());
beforeEach(async () => {
  target = await receiver();
});
afterEach(() => target.close());

describe("push services: the template of the documentation makes a message that the service accepts", () => {
  test.each([
    ["ntfy", ntfy],
    ["gotify", gotify],
    ["pushover", pushover],
  ] as const)("%s, for every event type", async (service, payload_template) => {
    const body = { name: service, url: target.url, event_types: [...outboundEventTypes], payload_template };
    const { id } = await desk.ask("createWebhook", { body });
    for (const event_type of outboundEventTypes) {
      expect(await desk.ask("testWebhook", { params: { id }, body: { event_type } })).toMatchObject({ success: true });
      const got = target.received.at(-1);
      expect(got?.headers["content-type"]).toBe("application/json");
      messages[service].parse(JSON.parse(got?.body ?? ""));
    }
    expect(JSON.parse(target.received[0]?.body ?? "")).toMatchObject({
      title: "Person and dog seen at Front door: high risk",
      message: expect.stringMatching(/^1 person and 1 dog at Front door, for 40 s\.\nCamera: Front door\n/),
    });
  });

  test("ntfy and Pushover link to the event", async () => {
    const [data] = samplesOf("alert_fired").map((sample) => z.encode(outboundEvents.alert_fired, sample.data as never));
    const made = (payload_template: string) =>
      JSON.parse(
        bodyOf(
          { url: target.url, custom_headers: {}, integration_type: "generic", payload_template },
          { eventType: "alert_fired", emittedAt: new Date(), data, webhookId: "w", deliveryId: "d" },
          { timeZone: "UTC", links: { publicUrl: "https://home.example.org", webEnabled: true } },
        ),
      ) as unknown;
    expect(made(ntfy)).toMatchObject({
      attach: "https://home.example.org/api/detections/90211/thumbnail",
      click: "https://home.example.org/events/1207",
      priority: 4,
    });
    expect(made(pushover)).toMatchObject({ url: "https://home.example.org/events/1207", priority: 1 });
  });
});

test.each(outboundEventTypes)("template page: the first example can be saved for %s, and prints a text", async (event_type) => {
  const { id } = await desk.ask("createWebhook", {
    body: { name: "First", url: target.url, event_types: [event_type], payload_template: first },
  });
  await desk.ask("testWebhook", { params: { id }, body: { event_type } });
  const said = JSON.parse(target.received[0]?.body ?? "") as { text: string; camera: string | null };
  expect(said.text.length).toBeGreaterThan(10);
  expect(said.camera).toBe(["system_health_changed", "daily_summary"].includes(event_type) ? null : "front-door");
});
