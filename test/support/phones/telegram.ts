import { formOf } from "./form.ts";
import { phoneService, type ServiceAnswer, type ServiceRequest } from "./service.ts";
import type { TakenMessage } from "./services.ts";

interface Keyboard {
  readonly inline_keyboard: readonly (readonly { readonly text: string; readonly callback_data: string }[])[];
}

/** A message in a chat as people see it now. */
export interface ChatMessage extends TakenMessage {
  readonly id: number;
  readonly chat: string;
  readonly text: string;
  readonly buttons: readonly { readonly text: string; readonly callback_data: string }[];
  readonly edits: number;
}

interface Update {
  readonly update_id: number;
  readonly [kind: string]: unknown;
}

const plain = (html: string): string => html.replaceAll(/<[^>]*>/g, "").replaceAll(/&\w+;/g, "x");

/** The Bot API of Telegram, after core.telegram.org/bots/api. `chats` wrote to the bot. */
export async function telegramServer(token: string) {
  const messages: ChatMessage[] = [];
  const shown: { readonly id: string; readonly text: string }[] = [];
  const chats: { readonly id: number; readonly first_name: string; readonly type: "private" }[] = [];
  const updates: Update[] = [];
  const add = (update: object): number => updates.push({ update_id: 1000 + updates.length, ...update });
  let started = 0;
  let confirmed = 0;
  let hasWebhook = false;
  /** The request that is held now: it ends with updates, with nothing, or because a later one came. */
  let held: ((answer: ServiceAnswer | undefined) => void) | undefined;
  const refusal = (error_code: number, description: string, parameters?: object): ServiceAnswer => ({
    status: error_code,
    body: { ok: false, error_code, description, parameters },
  });
  const done = (result: unknown): ServiceAnswer => ({ status: 200, body: { ok: true, result } });

  const getUpdates = async ({ body }: ServiceRequest): Promise<ServiceAnswer> => {
    const asked = JSON.parse(body.toString()) as { offset?: number; limit?: number; timeout?: number; allowed_updates?: string[] };
    if (hasWebhook) return refusal(409, "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook first");
    held?.(refusal(409, "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"));
    if (asked.offset !== undefined) confirmed = asked.offset;
    const waiting = (): Update[] => {
      const kinds = asked.allowed_updates ?? ["message", "callback_query"];
      for (const chat of chats.slice(started)) add({ message: { message_id: 1, date: 0, chat, text: "/start" } });
      started = chats.length;
      return updates.filter((update) => update.update_id >= confirmed && kinds.some((kind) => kind in update)).slice(0, asked.limit ?? 100);
    };
    if (waiting().length === 0 && asked.timeout) {
      const ended = await new Promise<ServiceAnswer | undefined>((resolve) => {
        held = resolve;
        setTimeout(() => resolve(undefined), (asked.timeout ?? 0) * 1000).unref();
      });
      held = undefined;
      if (ended) return ended;
    }
    return done(waiting());
  };

  const send = async (method: string, request: ServiceRequest): Promise<ServiceAnswer> => {
    const form = await formOf(request);
    const { chat_id: chat = "", caption, text, reply_markup } = form.texts;
    if (!chats.some(({ id }) => String(id) === chat)) return refusal(400, "Bad Request: chat not found");
    const written = plain(caption ?? text ?? "");
    if (written.length > (method === "sendPhoto" ? 1024 : 4096)) return refusal(400, "Bad Request: message caption is too long");
    const buttons = reply_markup ? (JSON.parse(reply_markup) as Keyboard).inline_keyboard.flat() : [];
    if (buttons.some(({ callback_data: data }) => Buffer.byteLength(data) > 64)) return refusal(400, "Bad Request: BUTTON_DATA_INVALID");
    const id = 101 + messages.length;
    messages.push({ ...form, id, chat, text: written, buttons, edits: 0 });
    return done({ message_id: id, date: 0, ...(form.picture && { photo: [{ file_id: "x", width: 1, height: 1 }] }) });
  };

  const edit = (method: string, { body }: ServiceRequest): ServiceAnswer => {
    const { chat_id, message_id, ...asked } = JSON.parse(body.toString()) as Record<string, string | number>;
    const at = messages.findIndex(({ id, chat }) => id === message_id && chat === String(chat_id));
    const message = messages[at];
    if (!message) return refusal(400, "Bad Request: message to edit not found");
    const isCaption = method === "editMessageCaption";
    if (isCaption !== (message.picture !== undefined)) {
      return refusal(400, `Bad Request: there is no ${isCaption ? "caption" : "text"} in the message to edit`);
    }
    const text = plain(String(isCaption ? asked["caption"] : asked["text"]));
    if (text === message.text && message.buttons.length === 0) return refusal(400, "Bad Request: message is not modified");
    messages[at] = { ...message, text, buttons: [], edits: message.edits + 1 };
    return done({ message_id, date: 0 });
  };

  const service = await phoneService(async (request) => {
    const method = new RegExp(`^/bot${token}/(\\w+)$`).exec(request.path)?.[1];
    if (method === "getMe") return done({ id: 1, is_bot: true, username: "home_alerts_bot" });
    if (method === "getChat") {
      const chat = chats.find(({ id }) => String(id) === request.query.get("chat_id"));
      return chat ? done(chat) : refusal(400, "Bad Request: chat not found");
    }
    if (method === "getUpdates") return await getUpdates(request);
    if (method === "answerCallbackQuery") {
      const { callback_query_id: id, text } = JSON.parse(request.body.toString()) as { callback_query_id: string; text: string };
      shown.push({ id, text });
      return done(true);
    }
    if (method === "sendPhoto" || method === "sendMessage") return await send(method, request);
    if (method === "editMessageCaption" || method === "editMessageText") return edit(method, request);
    return refusal(404, "Not Found");
  });

  return {
    ...service,
    messages: messages as readonly ChatMessage[],
    /** The texts that people saw after they pressed a button. */
    shown: shown as readonly { readonly id: string; readonly text: string }[],
    chats,
    refusal,
    setWebhook: (is: boolean) => {
      hasWebhook = is;
      if (is) held?.(refusal(409, "Conflict: terminated by setWebhook request"));
    },
    /** Someone writes to the bot. */
    join: (chat: (typeof chats)[number]) => {
      chats.push(chat);
      held?.(undefined);
    },
    /** A person presses a button. Returns the id of the press. */
    press: (data: string, { who = "Anna", chat = chats[0]?.id ?? 0 } = {}): string => {
      const id = `press${updates.length}`;
      const from = { id: 5, is_bot: false, first_name: who };
      const message = { message_id: 101, date: 0, chat: { id: chat, type: "private" } };
      add({ callback_query: { id, from, message, chat_instance: "1", data } });
      held?.(undefined);
      return id;
    },
  };
}
