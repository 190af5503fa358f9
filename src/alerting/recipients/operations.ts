import { randomUUID } from "node:crypto";
import { notFound, Problem } from "../../contract/problem.ts";
import type { recipientRoutes } from "../../contract/routes/recipients.ts";
import { MailAddress, uuidOf } from "../../contract/values.ts";
import type { Sql } from "../../platform/database/database.ts";
import { isUniqueViolation } from "../../platform/database/pg-errors.ts";
import type { Operations } from "../../work/operations/operation.ts";
import { namedChannels, rulesNaming } from "../channels/channels-repository.ts";
import { changedRecipient, type Recipient, type RecipientDefinition, recipientDefaults } from "./recipient.ts";
import {
  deleteRecipient,
  findRecipient,
  insertRecipient,
  listRecipients,
  recipientNamed,
  updateRecipient,
} from "./recipients-repository.ts";

/** The operations on recipients. */
export const recipientOperations: Pick<Operations, keyof typeof recipientRoutes> = {
  listRecipients: async (_, { db }) => ({ recipients: [...(await db.query(listRecipients))] }),

  createRecipient: async ({ body: { name, channels, ...given } }, { db, clock }) => {
    const id = randomUUID();
    return await unlessNameIsTaken(name, () =>
      db.transaction(async (sql) => {
        const definition = changedRecipient({ ...recipientDefaults, name, channels }, given);
        await insertRecipient(sql, id, await checked(sql, undefined, definition), clock.now());
        return await required(sql, id);
      }),
    );
  },

  getRecipient: async ({ params }, { db }) => await db.query((sql) => required(sql, params.id)),

  updateRecipient: async ({ params, body }, { db, clock }) => {
    const { id: _id, held_alerts: _held, held_until: _until, created_at: _created, updated_at: _updated, ...given } = body;
    return await unlessNameIsTaken(given.name ?? "", () =>
      db.transaction(async (sql) => {
        const {
          id,
          held_alerts: _held,
          held_until: _until,
          created_at: _created,
          updated_at: _updated,
          ...before
        } = await required(sql, params.id, "lock");
        const definition = changedRecipient(before, given);
        if (definition.name.toLowerCase() !== before.name.toLowerCase()) await requireUnnamed(sql, before.name, "rename");
        await updateRecipient(sql, id, await checked(sql, before, definition), clock.now());
        return await required(sql, id);
      }),
    );
  },

  deleteRecipient: async ({ params }, { db }) => {
    await db.transaction(async (sql) => {
      const { id, name } = await required(sql, params.id, "lock");
      await requireUnnamed(sql, name, "remove");
      await deleteRecipient(sql, id);
    });
    return undefined;
  },
};

async function required(sql: Sql, text: string, lock?: "lock"): Promise<Recipient> {
  const id = uuidOf(text);
  const found = id && (await findRecipient(sql, id, lock));
  if (!found) throw notFound("Recipient", text);
  return found;
}

/** Checks a definition against what else is stored. Returns it with the names of its channels as they are stored. */
async function checked(sql: Sql, before: RecipientDefinition | undefined, definition: RecipientDefinition): Promise<RecipientDefinition> {
  const named = await namedChannels(sql);
  const phones = named.filter(({ isWebhook }) => !isWebhook);
  const { name, channels, escalate_to: next } = definition;
  const clash = named.find((other) => other.name.toLowerCase() === name.toLowerCase());
  if (clash && name.toLowerCase() !== before?.name.toLowerCase()) {
    throw new Problem(
      "conflict",
      `There is a ${clash.isWebhook ? "webhook" : "channel"} ${clash.name}, and rules name both in one list; choose another name`,
    );
  }
  const known = channels.map((word) => phones.find((phone) => phone.name.toLowerCase() === word.toLowerCase())?.name ?? word);
  known.forEach((word, at) => {
    if (phones.some((phone) => phone.name === word) || MailAddress.safeParse(word).success) return;
    const names = phones.map((phone) => phone.name).join(", ");
    const msg = `${word} is neither a mail address nor a channel to phones; ${names === "" ? "add one with homesec channels add" : `those are ${names}`}`;
    throw wrong("channels", at, msg);
  });
  if (next !== null) await requireNext(sql, name, next);
  return { ...definition, channels: [...new Set(known)] };
}

async function requireNext(sql: Sql, name: string, next: string): Promise<void> {
  if (next.toLowerCase() === name.toLowerCase())
    throw wrong("escalate_to", undefined, "A recipient cannot escalate to itself; name another one");
  if (await recipientNamed(sql, next)) return;
  const names = (await listRecipients(sql)).flatMap((other) => (other.name === name ? [] : other.name)).join(", ");
  throw wrong("escalate_to", undefined, `There is no recipient ${next}; ${names === "" ? "create it first" : `the others are ${names}`}`);
}

function wrong(field: string, at: number | undefined, msg: string): Problem {
  const loc = ["body", field, ...(at === undefined ? [] : [at])];
  return new Problem("invalid", `${field}: ${msg}`, { items: [{ loc, msg, type: "value_error" }] });
}

async function requireUnnamed(sql: Sql, name: string, action: string): Promise<void> {
  const rules = await rulesNaming(sql, [name]);
  if (rules.length === 0) return;
  throw new Problem("conflict", `These rules name the recipient ${name}: ${rules.join(", ")}; change them before you ${action} it`);
}

async function unlessNameIsTaken<T>(name: string, store: () => Promise<T>): Promise<T> {
  try {
    return await store();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new Problem("conflict", `There is a recipient ${name} already; choose another name`);
  }
}
