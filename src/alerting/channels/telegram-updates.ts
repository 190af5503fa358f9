import { z } from "zod";
import { maskSecrets, onOneLine } from "../delivery/texts.ts";
import type { OpenChannel } from "./channel.ts";
import type { PhoneRequest } from "./kind.ts";

/** Few enough that an answer of this many bytes holds them: each contains its message. */
const [mostUpdates, mostBytes] = [20, 2_000_000];
/** How long Telegram holds the request until a button is pressed, and how much longer homesec waits. */
const [holdSeconds, graceMs] = [50, 15_000];
/** Telegram shows no longer text to the person who pressed a button. */
const mostShown = 200;

const Answer = z.object({
  ok: z.boolean(),
  description: z.string().default(""),
  result: z.unknown().optional(),
  parameters: z.object({ retry_after: z.number().nonnegative().optional() }).optional(),
});
const Updates = z.array(z.object({ update_id: z.int(), callback_query: z.unknown().optional() }));
const Press = z.object({
  id: z.string().max(100),
  data: z.string().max(64).default(""),
  from: z.object({ first_name: z.string().default(""), username: z.string().optional() }),
  message: z.object({ chat: z.object({ id: z.int(), username: z.string().optional() }) }).optional(),
});

/** A button that someone pressed below a message of the bot. */
export interface TelegramPress {
  /** Telegram's name of the press, to answer it. */
  readonly id: string;
  readonly data: string;
  /** The first name of the person, or the user name. */
  readonly who: string;
  /** The chat as a channel may name it: its number, and `@` with its public name; empty outside of a chat. */
  readonly chats: readonly string[];
}

/** An update, and where to go on after it. `press` is undefined for anything but a pressed button. */
export interface TelegramUpdate {
  readonly id: number;
  readonly press: TelegramPress | undefined;
}

/** The answer of Telegram to the request for updates. `waitMs`: Telegram asked to wait that long. */
export type ReadUpdates =
  | { readonly kind: "updates"; readonly updates: readonly TelegramUpdate[] }
  | { readonly kind: "fault"; readonly text: string; readonly waitMs: number | undefined };

/** The presses of the buttons of one bot. */
export interface TelegramBot {
  /** Its name without secrets: channels with the same one share their updates. */
  readonly source: string;
  /** The request that waits for the updates after a position. It confirms the earlier ones, so that Telegram forgets them. */
  updates(position: string | null): PhoneRequest & { readonly timeoutMs: number; readonly mostBytes: number };
  read(reply: { readonly status: number; readonly body: string }): ReadUpdates;
  /** The request that shows a text to the person who pressed a button. */
  show(press: TelegramPress, text: string): PhoneRequest;
}

/** Returns the name of a bot, without its secret. */
export const telegramSource = (server: string, token: string): string => `telegram ${new URL(server).host}/${token.split(":")[0]}`;

/** Makes the requests of the bot of a channel, and reads the answers. No text contains the token. */
export function telegramBot({ settings }: Pick<OpenChannel, "settings">): TelegramBot {
  const [server, token] = [String(settings["server"]), String(settings["token"])];
  const call = (method: string, body: object): PhoneRequest => ({
    url: `${server}/bot${token}/${method}`,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return {
    source: telegramSource(server, token),
    updates: (position) => ({
      ...call("getUpdates", {
        ...(position !== null && { offset: Number(position) }),
        ...{ limit: mostUpdates, timeout: holdSeconds, allowed_updates: ["callback_query"] },
      }),
      ...{ timeoutMs: holdSeconds * 1000 + graceMs, mostBytes },
    }),
    read: ({ status, body }) => readUpdates(status, maskSecrets(body, [token])),
    show: ({ id }, text) => call("answerCallbackQuery", { callback_query_id: id, text: text.slice(0, mostShown) }),
  };
}

function readUpdates(status: number, body: string): ReadUpdates {
  const fault = (text: string, waitMs?: number): ReadUpdates => ({ kind: "fault", text: `Telegram answered ${status}${text}`, waitMs });
  const answer = Answer.safeParse(parsed(body));
  if (!answer.success) return fault(", but not in its words; check the server of the channel");
  const { ok, description, result, parameters } = answer.data;
  const updates = Updates.safeParse(result);
  if (ok && updates.success) {
    return { kind: "updates", updates: updates.data.map(({ update_id: id, callback_query: query }) => ({ id, press: pressOf(query) })) };
  }
  const wait = parameters?.retry_after;
  const fix = fixOf(status, description);
  return fault(`: ${onOneLine(description, 200)}${fix === undefined ? "" : `; ${fix}`}`, wait === undefined ? undefined : wait * 1000);
}

function pressOf(query: unknown): TelegramPress | undefined {
  const read = Press.safeParse(query);
  if (!read.success) return undefined;
  const { id, data, from, message } = read.data;
  const who = onOneLine(from.first_name, 60) || from.username || "Someone";
  const { id: chat, username } = message?.chat ?? {};
  return { id, data, who, chats: [...(chat === undefined ? [] : [String(chat)]), ...(username ? [`@${username.toLowerCase()}`] : [])] };
}

function fixOf(status: number, description: string): string | undefined {
  if (status === 401 || status === 404) return "the token is wrong: ask @BotFather for it, and set it again";
  if (status !== 409) return undefined;
  if (/webhook/i.test(description)) return "another program has set a webhook for this bot: remove it there, or give homesec its own bot";
  return "another program reads the messages of this bot: stop it, or give homesec its own bot";
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
