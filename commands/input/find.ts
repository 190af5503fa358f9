import { notFound, Problem } from "../../src/contract/problem.ts";
import type { ReplyOf } from "../../src/contract/routes/index.ts";
import { uuidOf } from "../../src/contract/values.ts";
import { nearest } from "../../src/platform/config/nearest.ts";
import type { Io } from "../io.ts";
import { mostRows, pages } from "../output/pages.ts";

export type Rule = ReplyOf<"getRule">;
export type Webhook = ReplyOf<"getWebhook">;

/** Finds a rule by its id or exact name. Throws `Problem` when none or several match. */
export async function findRule(io: Io, idOrName: string): Promise<Rule> {
  if (uuidOf(idOrName)) return await io.call("getRule", { params: { id: idOrName } });
  return findByName(await allRules(io), idOrName, "Rule", "rules");
}

/** Finds a webhook by its id or exact name. Throws `Problem` when none or several match. */
export async function findWebhook(io: Io, idOrName: string): Promise<Webhook> {
  if (uuidOf(idOrName)) return await io.call("getWebhook", { params: { id: idOrName } });
  return findByName(await allWebhooks(io), idOrName, "Webhook", "webhooks");
}

/** Returns every rule. */
export async function allRules(io: Io): Promise<readonly Rule[]> {
  const rules: Rule[] = [];
  for await (const body of pages(mostRows, (page) => io.call("listRules", { query: page }))) rules.push(...body.items);
  return rules;
}

const pageSize = 1000;

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

function findByName<T extends { readonly id: string; readonly name: string }>(
  all: readonly T[],
  name: string,
  thing: string,
  group: string,
): T {
  const found = all.filter((each) => each.name === name);
  const [first, ...others] = found;
  if (first === undefined) {
    const guess = nearest(
      name,
      all.map((each) => each.name),
    );
    const hint = guess === undefined ? "" : `did you mean ${JSON.stringify(guess)}? `;
    throw notFound(thing, JSON.stringify(name), `${hint}\`homesec ${group} list\` shows names and ids`);
  }
  if (others.length > 0) {
    const ids = found.map(({ id }) => id).join(", ");
    throw new Problem("conflict", `${found.length} ${group} are named ${JSON.stringify(name)}; use an id instead: ${ids}`);
  }
  return first;
}
