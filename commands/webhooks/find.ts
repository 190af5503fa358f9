import { notFound, Problem } from "../../src/contract/problem.ts";
import type { Reply } from "../../src/contract/route.ts";
import type { Routes } from "../../src/contract/routes/index.ts";
import { uuidOf } from "../../src/contract/values.ts";
import { similarName } from "../input/similar-id.ts";
import type { Io } from "../io.ts";

export type Webhook = Reply<Routes["getWebhook"]>;

/** The webhook that a person means by its id or its exact name. Throws `Problem` for none, and for several of the same name. */
export async function findWebhook(io: Io, idOrName: string): Promise<Webhook> {
  if (uuidOf(idOrName)) return await io.call("getWebhook", { params: { id: idOrName } });
  const all = await allWebhooks(io);
  const found = all.filter(({ name }) => name === idOrName);
  const [webhook, ...others] = found;
  if (!webhook) {
    const guess = similarName(idOrName, all);
    throw notFound("Webhook", JSON.stringify(idOrName), `${guess}\`homesec webhooks list\` shows their names and ids`);
  }
  if (others.length > 0) {
    const ids = found.map(({ id }) => id).join(", ");
    throw new Problem("conflict", `${found.length} webhooks are named ${JSON.stringify(idOrName)}; say which by its id: ${ids}`);
  }
  return webhook;
}

const pageSize = 1000;

/** All webhooks, newest first. */
export async function allWebhooks(io: Io, enabledOnly = false): Promise<Webhook[]> {
  const webhooks: Webhook[] = [];
  for (;;) {
    const query = { enabled_only: enabledOnly, limit: pageSize, offset: webhooks.length };
    const body = await io.call("listWebhooks", { query });
    webhooks.push(...body.webhooks);
    if (body.webhooks.length === 0 || webhooks.length >= body.total) return webhooks;
  }
}
