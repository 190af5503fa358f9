import { z } from "zod";
import { jsonObject, phoneKind, type Sender, textOf, type Verdict } from "../kind.ts";
import { cutToBytes, type PhoneMessage } from "../phone-message.ts";
import { Server, Text, Token } from "../setting-values.ts";

const priorities = { low: 2, medium: 3, high: 4, critical: 5 } as const;
/** Short codes of emojis that ntfy shows before the title. */
const tags = { low: "house", medium: "house", high: "warning", critical: "rotating_light" } as const;

/** A longer message becomes a text file. */
const mostBytes = 4096;
const mostTitleBytes = 250;
/** Attachments of ntfy.sh; own servers allow 15 MB by default. */
const pictureBytes = 2_000_000;
const pictureName = "homesec.jpg";

const settings = z.strictObject({
  server: Server.default("https://ntfy.sh"),
  topic: z
    .string()
    .trim()
    .regex(/^[-_A-Za-z0-9]{1,64}$/, "Must be 1 to 64 letters, digits, - and _")
    .meta({ description: "Topic that the phone subscribes to" }),
  answer_topic: z
    .string()
    .trim()
    .regex(/^[-_A-Za-z0-9]{1,64}$/, "Must be 1 to 64 letters, digits, - and _")
    .optional(),
  token: Token.optional(),
  username: Text(200).optional(),
  password: Text(1024).optional(),
});

type Settings = z.output<typeof settings>;

/** A server before 2.16 does not know our name of a message, answers with its own, and would show a second message instead. */
const uuid = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$";

/** ntfy.sh, or a server of one's own: the picture is the body, and the rest are headers. */
export const ntfy = phoneKind({ title: "ntfy", settings, secrets: ["token", "password"], changeable: uuid, sender });

function sender(given: Settings): Sender {
  const { server, topic } = given;
  return {
    server,
    pictureBytes,
    request: (message) => {
      const title = cutToBytes(message.title, mostTitleBytes);
      const text = cutToBytes(message.text, mostBytes);
      const priority = priorities[message.urgency];
      if (!message.picture) {
        const shown = { topic, title, message: text, priority, tags: [tags[message.urgency]], sequence_id: message.id };
        const actions = actionsOf(message, given);
        const body = { ...shown, ...(message.link && { click: message.link }), ...(actions && { actions }) };
        return { url: server, headers: { ...authOf(given), "content-type": "application/json" }, body: JSON.stringify(body) };
      }
      return { url: `${server}/${topic}`, headers: { ...authOf(given), ...headersOf(message, title, text, given) }, body: message.picture };
    },
    verdict,
    check: {
      // A server without users knows no accounts; a wrong login is 401 at every address
      request: { url: hasLogin(given) ? `${server}/v1/account` : `${server}/v1/health`, headers: authOf(given) },
      fault: ({ status, body }) => {
        if (status === 401 || status === 403) return { error: "it refuses the login", fix: "set the token or the password again" };
        if (hasLogin(given) && status === 404) return undefined;
        if (status === 200 && jsonObject(body) !== undefined && jsonObject(body)?.["healthy"] !== false) return undefined;
        return { error: `answered ${status}, but not as ntfy does`, fix: "check the address of the server" };
      },
    },
    change: {
      request: (message, reference) => {
        const end = cutToBytes(message.ended ?? "", mostTitleBytes);
        const text = cutToBytes(message.text, mostBytes - mostTitleBytes - 1);
        const shown = { topic, sequence_id: reference, title: cutToBytes(message.title, mostTitleBytes), message: `${end}\n${text}` };
        const body = { ...shown, priority: priorities.low, tags: ["white_check_mark"], ...(message.link && { click: message.link }) };
        return { url: server, headers: { ...authOf(given), "content-type": "application/json" }, body: JSON.stringify(body) };
      },
      verdict: (reply) => ({ ...verdict(reply), isFinal: reply.status === 400 }),
    },
  };
}

const hasLogin = ({ token, username }: Settings): boolean => token !== undefined || username !== undefined;

function headersOf(message: PhoneMessage, title: string, text: string, given: Settings): Readonly<Record<string, string>> {
  const { id, urgency, link } = message;
  const actions = actionsOf(message, given);
  return {
    "content-type": "image/jpeg",
    "x-filename": pictureName,
    "x-title": encodedWord(title),
    "x-message": encodedWord(text),
    "x-priority": String(priorities[urgency]),
    "x-tags": tags[urgency],
    "x-sequence-id": id,
    ...(link !== undefined && { "x-click": link }),
    ...(actions && { "x-actions": JSON.stringify(actions) }),
  };
}

/**
 * Buttons that make the phone post a token to the topic that homesec reads. They carry no login, which everyone who reads the topic would
 * see.
 */
function actionsOf({ buttons = [] }: PhoneMessage, given: Settings): readonly object[] | undefined {
  if (buttons.length === 0) return undefined;
  const url = `${given.server}/${answerTopicOf(given)}`;
  return buttons.map(({ label, token }) => ({ action: "http", label, url, method: "POST", body: token, clear: true }));
}

/** Where phones post the answers: the topic itself with an ending, so that it is as hard to guess. */
const answerTopicOf = ({ topic, answer_topic: own }: Settings): string => own ?? `${topic.slice(0, 56)}-answers`;

/** Returns the stream of the answers to messages of a channel, from a position on; null from its beginning. */
export function ntfyAnswers(given: unknown): {
  readonly server: string;
  readonly topic: string;
  readonly request: (position: string | null) => { readonly url: string; readonly headers: Readonly<Record<string, string>> };
} {
  const checked = settings.parse(given);
  const topic = answerTopicOf(checked);
  const url = `${checked.server}/${topic}/json?since=`;
  return { server: checked.server, topic, request: (position) => ({ url: `${url}${position ?? "all"}`, headers: authOf(checked) }) };
}

/** RFC 2047, which ntfy decodes in its headers: any character and line ends arrive as they are. */
const encodedWord = (text: string): string => `=?UTF-8?B?${Buffer.from(text).toString("base64")}?=`;

function authOf({ token, username, password }: Settings): Readonly<Record<string, string>> {
  if (token !== undefined) return { authorization: `Bearer ${token}` };
  if (username === undefined || password === undefined) return {};
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` };
}

function verdict({ status, body }: { readonly status: number; readonly body: string }): Verdict {
  const answer = jsonObject(body);
  if (status === 200) {
    const reference = textOf(answer?.["sequence_id"]) ?? textOf(answer?.["id"]);
    return { isAccepted: reference !== undefined, reference: reference ?? null };
  }
  const error = textOf(answer?.["error"]);
  // 40014: attachments are switched off; 413: larger than the server allows; 429xx with "attachment": the quota of today is used up
  const isPictureRefused = status === 413 || /attachment/i.test(error ?? "");
  return { isAccepted: false, error, isPictureRefused, fix: fixes[status] };
}

const fixes: Readonly<Record<number, string>> = {
  401: "set the token or the password again",
  403: "the topic is protected: give a token or a user that may write to it",
  404: "check the address of the server",
};

/** A line of a subscription: it is open, or a message came. */
export type NtfyLine = { readonly kind: "open" } | { readonly kind: "message"; readonly id: string; readonly text: string };

const Line = z.object({ id: z.string().regex(/^[-\w]{1,64}$/), event: z.string(), message: z.string().max(4096).default("") });

/** Reads a line; undefined for a sign of life and anything else. */
export function readNtfyLine(line: string): NtfyLine | undefined {
  try {
    const { id, event, message } = Line.parse(JSON.parse(line));
    if (event === "open") return { kind: "open" };
    return event === "message" ? { kind: "message", id, text: message.trim() } : undefined;
  } catch {
    return undefined;
  }
}
