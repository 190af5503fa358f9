import { Problem } from "../../src/contract/problem.ts";
import type { OperationId, ReplyOf } from "../../src/contract/routes/index.ts";
import type { Io } from "../io.ts";
import { mostRows, pages } from "../output/pages.ts";
import { isUuid } from "../output/short-ids.ts";
import { type Candidate, guessId, listCandidates, matchId, mayBeginUuid } from "./match-id.ts";
import type { IdKind } from "./options.ts";

export type Rule = ReplyOf<"getRule">;
export type Webhook = ReplyOf<"getWebhook">;

/** A kind of things whose ids are UUIDs. */
interface Kind {
  /** In messages, such as `Rule`. */
  readonly thing: string;
  readonly plural: string;
  /** The command that lists them. */
  readonly list: string;
  /** Whether a name works in place of an id. */
  readonly named: boolean;
  /** Fetches all of them. Throws `Problem`. */
  candidates(io: Io): Promise<readonly Candidate[]>;
}

const pageSize = 1000;

export type UuidKind = Extract<
  IdKind,
  "rule" | "webhook" | "channel" | "recipient" | "alert" | "silence" | "share" | "entity" | "delivery"
>;

/** The kinds, by the name that arguments and options declare. */
const kinds: Readonly<Record<UuidKind, Kind>> = {
  rule: {
    ...{ thing: "Rule", plural: "rules", list: "rules list", named: true },
    candidates: allRules,
  },
  webhook: {
    ...{ thing: "Webhook", plural: "webhooks", list: "webhooks list", named: true },
    candidates: (io) => allWebhooks(io),
  },
  channel: {
    ...{ thing: "Channel", plural: "channels", list: "channels list", named: true },
    candidates: async (io) => (await io.call("listChannels", {})).channels,
  },
  recipient: {
    ...{ thing: "Recipient", plural: "recipients", list: "recipients list", named: true },
    candidates: async (io) => (await io.call("listRecipients", {})).recipients,
  },
  alert: {
    ...{ thing: "Alert", plural: "alerts", list: "alerts list", named: false },
    candidates: async (io) =>
      (await allItems(io, "listAlerts")).map(({ id, camera_id, alert_metadata }) => ({
        id,
        about: `${alert_metadata.rule_name}, ${camera_id}`,
      })),
  },
  silence: {
    ...{ thing: "Silence", plural: "silences", list: "silence list", named: false },
    candidates: async (io) => (await allItems(io, "listSilences")).map(({ id, reason }) => ({ id, about: reason })),
  },
  share: {
    ...{ thing: "Share", plural: "shares", list: "shares list", named: false },
    candidates: async (io) =>
      (await allItems(io, "listShares")).map(({ id, event_id }) => ({ id, about: `event ${event_id ?? "deleted"}` })),
  },
  entity: {
    ...{ thing: "Entity", plural: "entities", list: "entities list", named: false },
    candidates: async (io) => (await allItems(io, "listEntities")).map(({ id, object_type }) => ({ id, about: object_type })),
  },
  delivery: {
    ...{ thing: "Delivery", plural: "deliveries", list: "webhooks deliveries", named: false },
    async candidates(io) {
      const lists = (await allWebhooks(io)).map((webhook) => allDeliveries(io, webhook.id));
      return (await Promise.all(lists)).flat();
    },
  },
};

/**
 * The whole id that a text means: an id, a unique start of one (at least 4 characters), or for rules, webhooks, channels and recipients a name. A whole id is
 * not looked up. A text that cannot mean anything comes back as it is, for the daemon to refuse. Throws `Problem("conflict")` with the
 * candidates if it means several, and `Problem("not_found")` with a guess if it means nothing.
 */
export async function fullId(io: Io, kindName: UuidKind, given: string): Promise<string> {
  if (isUuid(given)) return given.toLowerCase();
  const kind = kinds[kindName];
  if (!kind.named && !mayBeginUuid(given)) return given;
  return theOne(kind, given, await kind.candidates(io));
}

/** The same for a delivery of one webhook. */
export async function fullDeliveryId(io: Io, webhookId: string, given: string): Promise<string> {
  if (isUuid(given) || !mayBeginUuid(given)) return given.toLowerCase();
  return theOne(kinds.delivery, given, await allDeliveries(io, webhookId));
}

function theOne({ thing, plural, list, named }: Kind, given: string, all: readonly Candidate[]): string {
  const [first, ...others] = matchId(given, all);
  if (first === undefined) {
    const guess = guessId(given, all);
    const meant = guess === undefined ? "" : `did you mean ${named ? JSON.stringify(guess) : guess}? `;
    const shows = named ? "shows names and ids" : "shows their ids";
    throw new Problem(
      "not_found",
      `${thing} ${named ? JSON.stringify(given) : given} does not exist; ${meant}\`homesec ${list}\` ${shows}`,
    );
  }
  if (others.length > 0) throw ambiguous(plural, given, [first, ...others], all);
  return first.id;
}

/** The error for a text that means several things. */
export function ambiguous(plural: string, given: string, found: readonly Candidate[], all: readonly Candidate[]): Problem {
  const how = found.every(({ name }) => name?.toLowerCase() === given.toLowerCase()) ? "are named" : "begin with";
  return new Problem(
    "conflict",
    `${found.length} ${plural} ${how} ${JSON.stringify(given)}; use one of these ids instead: ${listCandidates(found, all)}`,
  );
}

/** Returns every rule. */
export function allRules(io: Io): Promise<readonly Rule[]> {
  return allItems(io, "listRules");
}

type Listing = "listRules" | "listAlerts" | "listSilences" | "listShares" | "listEntities";

async function allItems<K extends Listing>(io: Io, operation: K): Promise<readonly ReplyOf<K>["items"][number][]> {
  const items: ReplyOf<K>["items"][number][] = [];
  const fetchPage = async (page: object) => (await io.call(operation as OperationId, { query: page } as never)) as ReplyOf<K>;
  for await (const body of pages(mostRows, fetchPage)) items.push(...body.items);
  return items;
}

/** Returns every webhook, newest first. */
export async function allWebhooks(io: Io, enabledOnly = false): Promise<Webhook[]> {
  const webhooks: Webhook[] = [];
  for (;;) {
    const query = { enabled_only: enabledOnly, limit: pageSize, offset: webhooks.length };
    const body = await io.call("listWebhooks", { query });
    webhooks.push(...body.webhooks);
    if (body.webhooks.length === 0 || webhooks.length >= body.total) return webhooks;
  }
}

/** Whether a webhook gets alerts. */
export const getsAlerts = ({ enabled, event_types }: Webhook): boolean => enabled && event_types.includes("alert_fired");

async function allDeliveries(io: Io, webhookId: string): Promise<readonly Candidate[]> {
  const found: Candidate[] = [];
  for (;;) {
    const query = { limit: pageSize, offset: found.length };
    const { deliveries, has_more } = await io.call("listWebhookDeliveries", { params: { id: webhookId }, query });
    found.push(...deliveries.map(({ id, event_type, status }) => ({ id, about: `${event_type}, ${status}` })));
    if (!has_more || deliveries.length === 0) return found;
  }
}
