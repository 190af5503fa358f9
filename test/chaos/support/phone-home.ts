import { createHash } from "node:crypto";
import type { Chance } from "../../support/chance.ts";
import { ntfyServer } from "../../support/phones/ntfy.ts";
import { pushService } from "../../support/phones/push-service.ts";
import type { phoneService, ServiceAnswer, ServiceRequest, Trouble } from "../../support/phones/service.ts";
import { appriseServer, gotifyServer, homeAssistantServer, pushoverServer } from "../../support/phones/services.ts";
import { telegramServer } from "../../support/phones/telegram.ts";
import { create } from "./send.ts";

type Service = Pick<Awaited<ReturnType<typeof phoneService>>, "breakWith" | "setDown" | "close">;

/** A message that a provider took. `isLost`: homesec cannot know, because the answer got lost. */
export interface Receipt {
  readonly provider: string;
  readonly event: number;
  readonly at: number;
  isLost: boolean;
}

/** The state of a provider: `down` does not listen. */
export const modes = ["well", "down", "slow", "limiting", "failing", "garbage", "breaking", "losing"] as const;
export type Mode = (typeof modes)[number];

const html: ServiceAnswer = {
  status: 200,
  headers: { "content-type": "text/html" },
  body: "<html><body>Welcome to the hotel</body></html>",
};
const proxy: ServiceAnswer = { status: 502, headers: { "content-type": "text/html" }, body: "<html><h1>502 Bad Gateway</h1></html>" };
const sentence: ServiceAnswer = { status: 200, headers: { "content-type": "text/plain" }, body: "It works!" };

/** Longer than homesec waits. */
const lateMs = 6_000;
export const timeoutSeconds = 4;

const troubles: Readonly<Record<Exclude<Mode, "well" | "down">, readonly Trouble[]>> = {
  slow: ["hang", { lost: "late", lateMs }],
  limiting: [{ status: 429, headers: { "retry-after": "3" }, body: { error: "slow down" } }],
  failing: [{ status: 500, body: "" }, proxy, { status: 503, body: { error: "maintenance" } }],
  garbage: [html, sentence, { status: 200, body: "" }, { status: 200, body: '{"ok": tr' }],
  breaking: ["reset", { cut: html }, { cut: { status: 200, body: '{"cut": "in the middle"}' } }],
  losing: [{ lost: "cut" }, { lost: proxy }, { lost: html }, { lost: { status: 200, body: "" } }],
};

const isLost = (trouble: Trouble | undefined): boolean => typeof trouble === "object" && "lost" in trouble;

const topicOf = (event: number): string => createHash("sha256").update(`event-${event}`).digest("base64url").slice(0, 32);

/** The services of phones, each with one channel, which count the messages that they take for each event. */
export async function phoneHome(chance: Chance) {
  const keys = { token: "a".repeat(30), user: "u".repeat(30) };
  const botToken = "123456:ABC-of_the_house";
  const [ntfy, telegram, pushover, gotify, homeAssistant, apprise, webPush] = await Promise.all([
    ntfyServer(),
    telegramServer(botToken),
    pushoverServer(keys),
    gotifyServer("gotify-token"),
    homeAssistantServer("long-lived-token"),
    appriseServer("the-key-of-the-house"),
    pushService(),
  ]);
  telegram.chats.push({ id: 7, first_name: "Anna", type: "private" });
  const services: Readonly<Record<string, Service>> = {
    ntfy,
    telegram,
    pushover,
    gotify,
    home_assistant: homeAssistant,
    apprise,
    web_push: webPush,
  };
  const receipts: Receipt[] = [];
  const mode = new Map<string, Mode>();
  /** Requests for alerts that failed on purpose. */
  let troubled = 0;
  /** The event whose message Telegram refuses for good. */
  let blocked: number | undefined;
  /** The push service sees no content, but the topic of an event. */
  const topics = new Map(Array.from({ length: 10_000 }, (_, event) => [topicOf(event), event]));
  const eventOf = ({ path, headers, body }: ServiceRequest): number | undefined => {
    if (typeof headers["topic"] === "string") return topics.get(headers["topic"]);
    const text = body.toString("latin1");
    if (path.includes("/edit") || text.includes("white_check_mark")) return undefined;
    const [, event] = /home\.example\.org\/events\/(\d+)/.exec(text) ?? [];
    return event === undefined ? undefined : Number(event);
  };
  const others = new Map<string, (request: ServiceRequest) => Trouble | undefined>();
  const watch =
    (provider: string) =>
    (request: ServiceRequest): Trouble | undefined => {
      const event = eventOf(request);
      if (event === undefined) return others.get(provider)?.(request);
      const state = mode.get(provider) ?? "well";
      blocked ??= provider === "telegram" ? event : undefined;
      if (provider === "telegram" && event === blocked) {
        return { status: 403, body: { ok: false, error_code: 403, description: "Forbidden: bot was blocked by the user" } };
      }
      const trouble = state === "well" || state === "down" ? undefined : chance.pick(troubles[state]);
      if (trouble !== undefined) troubled += 1;
      if (trouble !== undefined && !isLost(trouble)) return trouble;
      const receipt = { provider, event, at: performance.now(), isLost: isLost(trouble) };
      receipts.push(receipt);
      // Also when the service went down in the middle of its answer
      request.isAnswered.then((isAnswered) => {
        receipt.isLost ||= !isAnswered;
      });
      return trouble;
    };
  for (const [provider, service] of Object.entries(services)) service.breakWith(watch(provider));

  const settings = {
    ntfy: { server: ntfy.url, topic: "anna" },
    telegram: { server: telegram.url, token: botToken, chat_id: "7" },
    pushover: { server: pushover.url, ...keys },
    gotify: { server: gotify.url, token: "gotify-token" },
    home_assistant: { server: homeAssistant.url, token: "long-lived-token", service: "mobile_app_annas_phone" },
    apprise: { server: apprise.url, key: "the-key-of-the-house" },
  };
  return {
    ...{ ntfy, telegram, ca: webPush.ca, receipts: receipts as readonly Receipt[] },
    providers: Object.keys(services),
    counts: () => ({ troubled, blocked }),
    /** Adds a channel for each service. */
    connect: async (url: string): Promise<void> => {
      for (const [kind, own] of Object.entries(settings)) await create(`${url}/api/channels`, { name: kind, kind, settings: own });
      const { public_key } = (await (await fetch(`${url}/api/push/key`)).json()) as { public_key: string };
      await create(`${url}/api/push/devices`, { ...(await webPush.subscribe(public_key)), device: "web_push" });
    },
    set: async (provider: string, next: Mode): Promise<void> => {
      mode.set(provider, next);
      await services[provider]?.setDown(next === "down");
    },
    /** Makes requests fail that are about no message; undefined ends it. */
    alsoBreak: (provider: string, trouble: ((request: ServiceRequest) => Trouble | undefined) | undefined): void => {
      if (trouble) others.set(provider, trouble);
      else others.delete(provider);
    },
    close: async (): Promise<void> => void (await Promise.all(Object.values(services).map((service) => service.close()))),
  };
}

export type PhoneHome = Awaited<ReturnType<typeof phoneHome>>;

/**
 * Returns the repeated messages: those that a lost answer or a kill before the commit explains, by provider, and the others in words. The
 * kill must fall between the two messages, and soon after the first.
 */
export function repeatsOf(receipts: readonly Receipt[], kills: readonly number[]) {
  const explained: Record<string, number> = {};
  const wrong: string[] = [];
  let byKill = 0;
  const last = new Map<string, Receipt>();
  for (const receipt of receipts) {
    const { provider, event, at } = receipt;
    const name = `${provider} event ${event}`;
    const before = last.get(name);
    last.set(name, receipt);
    if (!before) continue;
    const isKilled = kills.some((kill) => kill >= before.at && kill <= at && kill - before.at < 1_000 * timeoutSeconds);
    if (!before.isLost && !isKilled) wrong.push(`${name}: taken again after ${Math.round(at - before.at)} ms`);
    explained[provider] = (explained[provider] ?? 0) + 1;
    if (!before.isLost) byKill += 1;
  }
  return { explained, byKill, wrong };
}
