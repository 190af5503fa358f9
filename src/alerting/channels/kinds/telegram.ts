import { z } from "zod";
import { jsonObject, phoneKind, type Sender, textOf, type Verdict } from "../kind.ts";
import { jpegFile, multipart } from "../multipart.ts";
import { cutAtWord, type PhoneMessage } from "../phone-message.ts";
import { BotToken, Server, Text } from "../setting-values.ts";

/** In UTF-16 code units, without the markup. */
const mostCaption = 1024;
const mostText = 4096;
const pictureBytes = 10_000_000;

const settings = z.strictObject({
  server: Server.default("https://api.telegram.org"),
  token: BotToken,
  chat_id: Text(100).regex(/^(-?\d+|@\w+)$/, "Must be the number of a chat, or @ and the name of a channel"),
});

type Settings = z.output<typeof settings>;

/** A bot of Telegram, which sends to one chat. */
export const telegram = phoneKind({ title: "Telegram", settings, secrets: ["token"], changeable: "^(photo )?[0-9]+$", sender });

function sender({ server, token, chat_id }: Settings): Sender {
  return {
    server,
    pictureBytes,
    request: (message) => {
      const method = message.picture ? "sendPhoto" : "sendMessage";
      const text = htmlOf(message, message.picture ? mostCaption : mostText);
      const { body, contentType } = multipart({
        chat_id,
        [message.picture ? "caption" : "text"]: text,
        parse_mode: "HTML",
        disable_notification: message.urgency === "low" ? "true" : undefined,
        reply_markup: keyboardOf(message),
        photo: jpegFile(message.picture),
      });
      return { url: `${server}/bot${token}/${method}`, headers: { "content-type": contentType }, body };
    },
    verdict,
    check: {
      request: { url: `${server}/bot${token}/getChat?${new URLSearchParams({ chat_id }).toString()}`, headers: {} },
      fault: (reply) => {
        if (reply.status === 200 && jsonObject(reply.body)?.["ok"] === true) return undefined;
        const { error, fix } = verdict(reply);
        return { error: error ?? `answered ${reply.status}`, fix: fix ?? "check the token and the chat id" };
      },
    },
    change: {
      request: (message, reference) => {
        const isPhoto = reference.startsWith("photo ");
        const text = htmlOf(message, isPhoto ? mostCaption : mostText);
        const edit = { chat_id, message_id: Number(reference.replace("photo ", "")), [isPhoto ? "caption" : "text"]: text };
        const body = JSON.stringify({ ...edit, parse_mode: "HTML", reply_markup: { inline_keyboard: [] } });
        const method = isPhoto ? "editMessageCaption" : "editMessageText";
        return { url: `${server}/bot${token}/${method}`, headers: { "content-type": "application/json" }, body };
      },
      verdict: (reply) => {
        const read = verdict(reply);
        // An earlier attempt that got no answer changed it
        if (/message is not modified/i.test(read.error ?? "")) return { isAccepted: true };
        return { ...read, isFinal: read.isFinal || reply.status === 400 };
      },
    },
  };
}

/** Buttons below the message: the answer to the alert, then what quietens it. */
function keyboardOf({ buttons = [] }: PhoneMessage): string | undefined {
  if (buttons.length === 0) return undefined;
  const [first, ...others] = buttons.map(({ label, token }) => ({ text: label, callback_data: token }));
  return JSON.stringify({ inline_keyboard: [[first], others] });
}

/** A bold title, the text and the link. Telegram counts the characters without markup, so the text is cut first. */
function htmlOf({ title, text, link, ended }: PhoneMessage, longest: number): string {
  const head = cutAtWord(title, 200);
  const linkText = "Open in homesec";
  const end = ended === undefined ? [] : [cutAtWord(ended, 200)];
  const left = longest - head.length - (link === undefined ? 0 : linkText.length + 1) - 1 - (end[0] === undefined ? 0 : end[0].length + 1);
  const lines = [`<b>${escaped(head)}</b>`, escaped(cutAtWord(text, left)), ...end.map((line) => `<i>${escaped(line)}</i>`)];
  return [...lines, ...(link === undefined ? [] : [`<a href="${escaped(link)}">${linkText}</a>`])].join("\n");
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

function verdict({ status, body }: { readonly status: number; readonly body: string }): Verdict {
  const answer = jsonObject(body);
  const { message_id: id, photo } = (answer?.["result"] ?? {}) as { readonly message_id?: unknown; readonly photo?: unknown };
  // A caption is changed in another way than a text
  if (status === 200 && answer?.["ok"] === true) {
    return { isAccepted: true, reference: typeof id === "number" ? `${photo === undefined ? "" : "photo "}${id}` : null };
  }
  const error = textOf(answer?.["description"]);
  const parameters = answer?.["parameters"] as { readonly retry_after?: unknown } | undefined;
  const waitMs = typeof parameters?.retry_after === "number" ? parameters.retry_after * 1000 : undefined;
  return {
    ...{ isAccepted: false, error, fix: fixOf(status, error) },
    isFinal: status === 403,
    isPictureRefused: status === 413 || /photo|image|file is too big/i.test(error ?? ""),
    ...(waitMs !== undefined && { waitMs }),
  };
}

function fixOf(status: number, error = ""): string | undefined {
  if (status === 401 || status === 404) return "the token is wrong: ask @BotFather for it, and set it again";
  if (status === 403) return "open the chat with the bot, press Start or unblock it, then requeue the message";
  if (/chat not found/i.test(error)) return "write any message to the bot, then check the chat id";
  return undefined;
}
