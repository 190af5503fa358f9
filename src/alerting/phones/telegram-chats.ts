import { z } from "zod";
import { Problem } from "../../contract/problem.ts";
import type { OperationContext } from "../../work/operations/operation.ts";
import { pauseSource } from "../answers/sources-repository.ts";
import { BotToken, Server } from "../channels/setting-values.ts";
import { telegramSource } from "../channels/telegram-updates.ts";
import { maskSecrets, onOneLine } from "../delivery/texts.ts";

const Answer = z.object({ ok: z.boolean(), description: z.string().optional(), result: z.unknown().optional() });
const Bot = z.object({ username: z.string() });
const Chat = z.object({ id: z.int(), title: z.string().optional(), first_name: z.string().optional(), username: z.string().optional() });
const Updates = z.array(
  z.object({
    message: z.object({ chat: Chat }).optional(),
    channel_post: z.object({ chat: Chat }).optional(),
    my_chat_member: z.object({ chat: Chat }).optional(),
  }),
);

/** Few enough that the answer is read whole. */
const mostUpdates = 10;
const requestMs = 10_000;

interface Asked {
  readonly token: string;
  readonly server?: string | undefined;
  /** How long Telegram holds the request until a first message comes. */
  readonly wait_seconds: number;
}

/** The name of the bot, and the chats that wrote to it, newest first. */
export interface TelegramChats {
  readonly bot: string;
  readonly chats: { readonly id: string; readonly title: string }[];
}

/**
 * Finds the chats of a Telegram bot by long polling, without confirming the messages: another reader still gets them. Throws
 * `Problem("invalid")` for a token that Telegram refuses, and `Problem("unavailable")` if it does not answer. No error contains the token.
 */
export async function telegramChats(
  asked: Asked,
  { outbound, db, clock }: Pick<OperationContext, "outbound" | "db" | "clock">,
): Promise<TelegramChats> {
  const token = BotToken.safeParse(asked.token);
  const server = Server.safeParse(asked.server ?? "https://api.telegram.org");
  if (!token.success) throw invalid("token", token.error.issues[0]?.message ?? "Must be the token of a bot");
  if (!server.success) throw invalid("server", server.error.issues[0]?.message ?? "Must be an address");
  const call = async (method: string, body: object, timeoutMs: number): Promise<unknown> => {
    const url = `${server.data}/bot${token.data}/${method}`;
    const request = { url, headers: { "content-type": "application/json" }, body: JSON.stringify(body), timeoutMs };
    const answer = await outbound.post(request);
    if (answer.kind !== "answered") throw new Problem("unavailable", `Telegram cannot be asked: ${answer.error}`);
    return resultOf(answer.status, answer.body, token.data);
  };
  const { username } = read(Bot, await call("getMe", {}, requestMs));
  // The reader of the buttons of this bot would take the messages
  const pause = async (until: Date | null): Promise<void> =>
    await db.query((sql) => pauseSource(sql, telegramSource(server.data, token.data), until));
  await pause(new Date(clock.now().getTime() + asked.wait_seconds * 1000 + requestMs));
  const wait = { limit: mostUpdates, timeout: asked.wait_seconds, allowed_updates: ["message", "channel_post", "my_chat_member"] };
  const updates = read(Updates, await call("getUpdates", wait, asked.wait_seconds * 1000 + requestMs).finally(() => pause(null)));
  const chats = updates.flatMap((update) => (update.message ?? update.channel_post ?? update.my_chat_member)?.chat ?? []).toReversed();
  const byId = new Map(chats.map((chat) => [String(chat.id), nameOf(chat)]));
  return { bot: `@${username}`, chats: [...byId].map(([id, title]) => ({ id, title })) };
}

const nameOf = ({ id, title, first_name, username }: z.output<typeof Chat>): string => title ?? first_name ?? username ?? String(id);

/** Checks a result. Throws `Problem("unavailable")` for something that the Bot API does not answer. */
function read<T extends z.ZodType>(schema: T, result: unknown): z.output<T> {
  const checked = schema.safeParse(result);
  if (!checked.success) throw new Problem("unavailable", "Telegram answered something else than the Bot API does; is the address right?");
  return checked.data;
}

function resultOf(status: number, body: string, token: string): unknown {
  let answer: z.output<typeof Answer>;
  try {
    answer = Answer.parse(JSON.parse(body));
  } catch {
    throw new Problem("unavailable", `Telegram answered ${status}, but not in its words; is the address right?`);
  }
  if (answer.ok) return answer.result;
  const said = onOneLine(maskSecrets(answer.description ?? "", [token]), 300);
  if (status === 401 || status === 404) throw invalid("token", `Telegram does not know it (${said}); ask @BotFather for it`);
  if (status === 409) {
    const fix = "stop the other program, or give the chat id yourself";
    throw new Problem("conflict", `Another program reads the messages of this bot (${said}); ${fix}`);
  }
  throw new Problem("unavailable", `Telegram answered ${status}: ${said}`);
}

function invalid(field: string, msg: string): Problem {
  return new Problem("invalid", `${field}: ${msg}`, { items: [{ loc: ["body", field], msg, type: "value_error" }] });
}
