import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { withLinks } from "../../../src/alerting/delivery/links.ts";
import { botMarkdown } from "../../../src/alerting/webhooks/formats/bot-markdown.ts";
import { chatBlocks } from "../../../src/alerting/webhooks/formats/chat-blocks.ts";
import { chatEmbeds } from "../../../src/alerting/webhooks/formats/chat-embeds.ts";
import { type Message, messageOf } from "../../../src/alerting/webhooks/formats/message.ts";
import { teamCards } from "../../../src/alerting/webhooks/formats/team-cards.ts";
import { plain, shorten } from "../../../src/alerting/webhooks/formats/texts.ts";
import { otherSamples, samples } from "../../../src/alerting/webhooks/samples.ts";
import { outboundEventTypes } from "../../../src/contract/constants.ts";
import type { OutboundEvent } from "../../../src/contract/outbound-events.ts";

const chat = (id: string) => ({ url: `https://bot.example.org/send?chat_id=${id}`, custom_headers: {} });

const time = new Date("2026-01-31T22:15:00Z");

/** Hostile text: markup, mentions, links, control characters, emoji of several parts, halves of pairs. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...["@everyone", "@here", "<!channel>", "<!here|x>", "<@U123>", "<http://evil|click>", "[click](http://evil)", "*b*", "_i_", "~s~"],
        ...["`c`", "```", "&amp;", "<at>all</at>", "\\", "||spoiler||", "# head", "> quote", "\u0000", "\u202e", "\r\n", "\n\n", "\ud83d"],
        ...["👨‍👩‍👧‍👦", "🏳️‍🌈", "é", "字", "@channel", "<@&42>", "!", ".", "-", "=", "{", "}"],
      ),
      fc.string({ unit: "grapheme", maxLength: 30 }),
      fc.string({ unit: "binary", maxLength: 30 }),
    ),
    { maxLength: 100 },
  )
  .map((parts) => parts.join(""));
const longText = fc.tuple(hostile, fc.integer({ min: 1, max: 40 })).map(([text, times]) => text.repeat(times).slice(0, 20_000));
const message: fc.Arbitrary<Message> = fc.record({
  headline: longText,
  text: longText,
  facts: fc.array(fc.record({ name: hostile, value: longText }), { maxLength: 40 }),
  urgency: fc.constantFrom("good", "info", "low", "medium", "high", "critical"),
  more: fc.option(hostile),
  time: fc.constant(time),
});

/** Every text anywhere in a message. */
function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return value !== null && typeof value === "object" ? Object.values(value).flatMap(textsOf) : [];
}

function checkAll(make: (message: Message) => object, check: (made: object) => void): void {
  fc.assert(
    fc.property(message, (given) => {
      const made = make(given);
      for (const text of textsOf(made)) expect(text).not.toMatch(/\p{Surrogate}|[\u202a-\u202e]|(?![\n\t])\p{Cc}/u);
      check(made);
    }),
    { numRuns: 60 },
  );
}

interface Blocks {
  readonly text: string;
  readonly blocks: readonly {
    readonly type: string;
    readonly text?: { readonly text: string };
    readonly fields?: readonly { readonly text: string }[];
    readonly elements?: readonly { readonly text: string }[];
  }[];
}

interface Embeds {
  readonly allowed_mentions: unknown;
  readonly embeds: readonly {
    readonly title: string;
    readonly description?: string;
    readonly color: number;
    readonly footer?: { readonly text: string };
    readonly fields: readonly { readonly name: string; readonly value: string }[];
  }[];
}

describe("chat formats keep the published limits for any text", () => {
  test("chat_blocks: header 150, section 3000, fields 10 of 2000, 50 blocks, and no bare control character", () => {
    checkAll(chatBlocks, (made) => {
      const { text, blocks } = made as Blocks;
      expect(blocks.length).toBeLessThanOrEqual(50);
      for (const block of blocks) {
        expect(block.text?.text.length ?? 1).toBeLessThanOrEqual(block.type === "header" ? 150 : 3000);
        expect(block.text?.text.length ?? 1).toBeGreaterThan(0);
        expect(block.fields?.length ?? 1).toBeLessThanOrEqual(10);
        for (const field of [...(block.fields ?? []), ...(block.elements ?? [])]) expect(field.text.length).toBeLessThanOrEqual(2000);
      }
      for (const one of textsOf([text, blocks])) {
        expect(one).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
        expect(one).not.toMatch(/@(everyone|here|channel)/i);
      }
    });
  });

  test("chat_embeds: title 256, description 4096, 25 fields of 256 and 1024, 6000 together, no mentions", () => {
    checkAll(chatEmbeds, (made) => {
      const { embeds, allowed_mentions } = made as Embeds;
      expect(allowed_mentions).toEqual({ parse: [] });
      const [embed] = embeds;
      if (!embed) throw new Error("no embed");
      const { title, description = "-", fields, footer } = embed;
      expect(title.length).toBeLessThanOrEqual(256);
      expect(description.length).toBeLessThanOrEqual(4096);
      expect(description).not.toBe("");
      expect(fields.length).toBeLessThanOrEqual(25);
      for (const { name, value } of fields) {
        expect([name.length > 0, name.length <= 256, value.length > 0, value.length <= 1024]).toEqual([true, true, true, true]);
        expect(value.replace(/\\./gsu, "")).not.toMatch(/[*_~`|<>[\]]/);
      }
      const total = [title, embed.description ?? "", footer?.text ?? "", ...fields.flatMap(({ name, value }) => [name, value])].join(
        "",
      ).length;
      expect(total).toBeLessThanOrEqual(6000);
    });
  });

  test("bot_markdown: 4096, every reserved character escaped except its own bold and code", () => {
    checkAll(
      (given) => botMarkdown(given, chat("-100123")),
      (made) => {
        const { text, chat_id, parse_mode, link_preview_options } = made as Record<string, unknown>;
        expect({ chat_id, parse_mode, link_preview_options }).toEqual({
          chat_id: "-100123",
          parse_mode: "MarkdownV2",
          link_preview_options: { is_disabled: true },
        });
        const all = String(text);
        expect(all.length).toBeLessThanOrEqual(4096);
        const bare = all.replace(/\\[\x21-\x7e]/g, "");
        // Code is at the end; everything except ` and \ is literal in it
        const prose = bare.replace(/`[^`]*`$/, "");
        expect(prose).not.toMatch(/[_[\]()~`>#+\-=|{}.!\\]/);
        expect((prose.match(/\*/g) ?? []).length % 2).toBe(0);
      },
    );
  });

  test("team_cards: an Adaptive Card below 28 KB without markup in its texts", () => {
    checkAll(teamCards, (made) => {
      expect(Buffer.byteLength(JSON.stringify(made))).toBeLessThan(28 * 1024);
      const card = (made as { attachments: { contentType: string; content: { version: string; body: { type: string }[] } }[] })
        .attachments[0];
      expect(card?.contentType).toBe("application/vnd.microsoft.card.adaptive");
      expect(card?.content.version).toBe("1.4");
      for (const block of card?.content.body ?? []) expect(block.type).toBe("RichTextBlock");
    });
  });
});

test.each(["@everyone_i_", "@everyonex", "@HERE~", "bob@channel", "@every\u0000one", "@all\u200b", "@channel…"])(
  "chat formats: %s mentions no one on any platform",
  (call) => {
    const said: Message = { headline: call, text: call, facts: [{ name: call, value: call }], urgency: "info", more: call, time };
    for (const made of [chatBlocks(said), chatEmbeds(said), botMarkdown(said, chat("1")), teamCards(said)]) {
      for (const text of textsOf(made)) expect(text).not.toMatch(/@(everyone|here|channel|all)/i);
    }
  },
);

test("bot_markdown: without a chat_id the message has none", () => {
  const said: Message = { headline: "h", text: "", facts: [], urgency: "info", more: null, time };
  expect(botMarkdown(said, { url: "https://bot.example.org/send", custom_headers: {} })).not.toHaveProperty("chat_id");
});

test("chat formats: the command can be copied, whatever the camera's name", () => {
  const more = "homesec cameras show front_door";
  const said: Message = { headline: "h", text: "", facts: [], urgency: "info", more, time };
  expect(textsOf(chatBlocks(said))).toContain(`More: \`${more}\``);
  expect(botMarkdown(said, chat("1"))).toMatchObject({ text: expect.stringContaining(`\`${more}\``) });
});

describe("chat messages with picture and link", () => {
  const link = "https://home.example.org/api/events/1207";
  const picture = "https://home.example.org/api/detections/9/thumbnail";
  const said: Message = { headline: "h", text: "t", facts: [], urgency: "info", more: "homesec x", link, picture, time };

  test("each platform gets them in its own form", () => {
    expect(chatBlocks(said)).toMatchObject({
      blocks: expect.arrayContaining([
        { type: "image", image_url: picture, alt_text: "h" },
        { type: "context", elements: [expect.anything(), { type: "mrkdwn", text: `<${link}|Event details>`, verbatim: true }] },
      ]),
    });
    expect(chatEmbeds(said)).toMatchObject({ embeds: [{ url: link, image: { url: picture } }] });
    expect(botMarkdown(said, chat("1"))).toMatchObject({
      text: expect.stringContaining(`[Event details](${link})`),
      link_preview_options: { url: picture, prefer_large_media: true, show_above_text: true },
    });
    expect(teamCards(said)).toMatchObject({
      attachments: [
        {
          content: {
            actions: [{ type: "Action.OpenUrl", title: "Event details", url: link }],
            body: expect.arrayContaining([{ type: "Image", url: picture, altText: "h" }]),
          },
        },
      ],
    });
  });

  test.each([
    ["https://home.example.org", true],
    ["https://203.0.113.7:8443/homesec", true],
    ["http://192.168.1.20:8000", false],
    ["http://[fd00::7]:8000", false],
    ["http://localhost:8000", false],
    ["http://homesec.local", false],
    ["http://nas:8000", false],
  ])("with PUBLIC_URL=%s a chat is offered the picture: %s", (publicUrl, offered) => {
    const data = withLinks(samples.alert_fired.data, { publicUrl, webEnabled: true });
    const { picture: shown, link: linked } = messageOf({ ...samples.alert_fired, data }, time, "UTC");
    expect(shown).toBe(offered ? `${publicUrl}/api/detections/90211/thumbnail` : undefined);
    expect(linked).toBe(`${publicUrl}/events/1207`);
  });

  test("chat messages: without the web page they link to the record of the event", () => {
    const data = withLinks(samples.alert_fired.data, { publicUrl: "https://home.example.org", webEnabled: false });
    expect(data.page_url).toBeNull();
    expect(messageOf({ ...samples.alert_fired, data }, time, "UTC").link).toBe("https://home.example.org/api/events/1207");
  });

  test("without PUBLIC_URL there is neither", () => {
    expect(messageOf(samples.alert_fired, time, "UTC")).not.toHaveProperty("link");
    expect(messageOf(samples.alert_fired, time, "UTC")).not.toHaveProperty("picture");
  });
});

describe("shorten", () => {
  test("it keeps whole graphemes and escapes, within the limit", () => {
    const escaped = (part: string) => part.replace(/&/g, "&amp;");
    fc.assert(
      fc.property(hostile, fc.integer({ min: 6, max: 200 }), (raw, limit) => {
        const text = plain(raw);
        const short = shorten(text, limit, escaped);
        expect(short.length).toBeLessThanOrEqual(limit);
        if (escaped(text).length <= limit) {
          expect(short).toBe(escaped(text));
          return;
        }
        const kept = short.slice(0, -1).replaceAll("&amp;", "&");
        const segments = [...new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text)];
        expect(segments.some(({ index }) => index === kept.length)).toBe(true);
        expect(text.startsWith(kept)).toBe(true);
      }),
    );
  });

  test("it does not split a family emoji", () => {
    expect(shorten("ab👨‍👩‍👧‍👦", 8)).toBe("ab…");
  });
});

test("chat messages: a late alert says how late it is, and an alert in time says nothing", () => {
  const textOf = (late_seconds: number | null) => {
    const { data, ...sample } = samples.alert_fired;
    const late = { ...data, alert_metadata: { ...data.alert_metadata, late_seconds } };
    return messageOf({ ...sample, data: late }, time, "UTC").text;
  };
  expect(textOf(17_240)).toContain("This alert is late: homesec raised it 4 h 47 min after the event ended.");
  expect(textOf(null)).not.toContain("late");
});

describe("chat messages: every event type has a text", () => {
  test.each(outboundEventTypes)("%s", (type) => {
    const said = messageOf(samples[type] as OutboundEvent, time, "Europe/Berlin");
    expect(said.headline).toMatch(/^[A-Zh].{10,}/);
    expect(said.headline).not.toMatch(/undefined|null|\[object/);
    expect(said.facts.length).toBeGreaterThan(0);
    for (const fact of said.facts) expect(fact.value).not.toMatch(/undefined|null|\[object|^$/);
    for (const made of [chatBlocks(said), chatEmbeds(said), botMarkdown(said, chat("1")), teamCards(said)]) {
      expect(textsOf(made).join(" ")).toMatch(type === "system_health_changed" ? /degraded/ : /front.*door/i);
    }
  });

  test("an alert says what happened, where, when and how risky it is, and names its rule and command", () => {
    expect(messageOf(samples.alert_fired, time, "Europe/Berlin")).toEqual({
      headline: "Person and dog seen at Front door: high risk",
      text: "1 person and 1 dog at Front door, for 40 s.",
      facts: [
        { name: "Camera", value: "Front door" },
        { name: "Seen", value: "1 person, 1 dog" },
        { name: "Risk", value: "72 of 100 (high)" },
        { name: "From", value: "31 Jan 2026, 23:15:00 CET" },
        { name: "To", value: "31 Jan 2026, 23:15:40 CET" },
        { name: "Rule", value: "People at night (severity high)" },
      ],
      urgency: "high",
      more: "homesec explain alert 6f1c2f0a-3d1e-4a57-9a39-0c7b8f0f1a11",
      time,
    });
    expect(messageOf(samples.alert_dismissed, time, "UTC")).toMatchObject({
      headline: "Dismissed: Person and dog seen at Front door: high risk",
      text: expect.stringMatching(/^1 person and 1 dog.* homesec cancelled/),
    });
  });

  test("a summary names the day, what each camera saw, and links to the page of the day", () => {
    const data = withLinks(samples.daily_summary.data, { publicUrl: "https://home.example.org", webEnabled: true });
    const said = messageOf({ ...samples.daily_summary, data }, time, "UTC");
    expect(said).toMatchObject({
      headline: "Sat 31 Jan: 9 events, 2 alerts",
      more: "homesec summary --day 2026-01-31",
      ...{ link: "https://home.example.org/day/2026-01-31", linkTitle: "The day" },
    });
    expect(said.facts.map(({ name, value }) => `${name}: ${value}`)).toEqual([
      "Seen: Front door: 9 events (person 8); Nothing at Garden",
      "Since midnight: 1 event",
      "Alerts: 2: 1 open, 1 acknowledged",
      "Hidden: 1 alert muted by silences, 12 detections at ignored spots, 240 detections of parked vehicles",
      "Camera problems: Garden: no picture for 3 hours (since 22:15, not over)",
      "Waiting now: 1 failed job (homesec dlq list)",
      "No summary was sent for: Thu 29 Jan to Fri 30 Jan",
    ]);
    for (const made of [chatBlocks(said), botMarkdown(said, chat("1")), teamCards(said)]) expect(JSON.stringify(made)).toContain("The day");
  });

  test("an event that is not judged yet says so", () => {
    const data = { ...samples.event_created.data, risk_score: null, risk_level: null, summary: "" };
    const said = messageOf({ ...samples.event_created, data }, time, "UTC");
    expect(said).toMatchObject({ headline: "Person and dog seen at Front door", text: "" });
    expect(said.facts).toContainEqual({ name: "Risk", value: "not scored yet" });
  });

  test("several of a class are counted, and a single picture has one time", () => {
    const { started_at: ended_at } = samples.event_created.data;
    const data = { ...samples.event_created.data, ended_at, object_types: ["bus", "person"], object_counts: { bus: 1, person: 3 } };
    const said = messageOf({ ...samples.event_created, data }, time, "UTC");
    expect(said.headline).toBe("1 bus and 3 people seen at Front door: high risk");
    expect(said.facts.map(({ name }) => name)).toEqual(["Camera", "Seen", "Risk", "Time"]);
    expect(said.facts).toContainEqual({ name: "Seen", value: "1 bus, 3 people" });
  });

  test("texts show the camera's name; commands keep its id", () => {
    for (const type of outboundEventTypes.filter((each) => each !== "system_health_changed" && each !== "daily_summary")) {
      const { headline, facts, more } = messageOf(samples[type] as OutboundEvent, time, "UTC", "Garage Süd");
      expect(headline).toContain("Garage Süd");
      expect(facts).toContainEqual({ name: "Camera", value: "Garage Süd" });
      expect([headline, ...facts.map(({ value }) => value)].join()).not.toContain("front-door");
      if (type === "anomaly_detected") expect(more).toBe("homesec cameras show front-door");
    }
  });

  test("an incident and a changed view have their own texts", () => {
    expect(messageOf(otherSamples.camera_health, time, "Europe/Berlin")).toMatchObject({
      headline: "Problem with camera Front door",
      text: "Camera Front door is silent: no picture for 5 min, while one every 1 min is usual.",
      facts: [
        { name: "Camera", value: "Front door" },
        { name: "Since", value: "31 Jan 2026, 23:15:00 CET" },
      ],
      urgency: "high",
    });
    expect(messageOf(otherSamples.scene_change, time, "UTC")).toMatchObject({
      headline: "The view of front-door has changed",
      text: expect.stringContaining("The camera was moved"),
    });
  });
});
