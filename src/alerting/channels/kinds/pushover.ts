import { z } from "zod";
import { jsonObject, phoneKind, type Sender, textOf, type Verdict } from "../kind.ts";
import { jpegFile, multipart } from "../multipart.ts";
import { cutAtWord } from "../phone-message.ts";
import { Server, Text } from "../setting-values.ts";

/** 2 repeats until a person acknowledges it on a device. */
const priorities = { low: -1, medium: 0, high: 1, critical: 2 } as const;
/** How often, and for how long, a critical message repeats, in seconds. Pushover allows 30 and more, and 10,800 at most. */
const retrySeconds = 60;
const expireSeconds = 3600;

const mostTitle = 250;
const mostText = 1024;
const mostLink = 512;
const pictureBytes = 2_621_440;

const Key = Text(100).regex(/^[A-Za-z0-9]{30}$/, "Must be 30 letters and digits");

const settings = z.strictObject({
  server: Server.default("https://api.pushover.net"),
  token: Key,
  user: Key,
  device: Text(100)
    .regex(/^[\w-]{1,25}(,[\w-]{1,25})*$/, "Must be names of devices, separated by commas")
    .optional(),
});

type Settings = z.output<typeof settings>;

/** Pushover. The reference of a critical message is its receipt, which tells who acknowledged it. */
export const pushover = phoneKind({ title: "Pushover", settings, secrets: ["token", "user"], changeable: "^[A-Za-z0-9]{30}$", sender });

function sender({ server, token, user, device }: Settings): Sender {
  return {
    server,
    pictureBytes,
    request: (message) => {
      const isCritical = message.urgency === "critical";
      const hasLink = message.link !== undefined && message.link.length <= mostLink;
      const { body, contentType } = multipart({
        ...{ token, user, device },
        title: cutAtWord(message.title, mostTitle),
        message: cutAtWord(message.text, mostText),
        priority: String(priorities[message.urgency]),
        ...(isCritical && { retry: String(retrySeconds), expire: String(expireSeconds) }),
        ...(hasLink && { url: message.link, url_title: "Open in homesec" }),
        attachment: jpegFile(message.picture),
      });
      return { url: `${server}/1/messages.json`, headers: { "content-type": contentType }, body };
    },
    verdict,
    check: {
      request: {
        url: `${server}/1/users/validate.json`,
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ token, user, ...(device !== undefined && { device: device.split(",")[0] ?? "" }) }).toString(),
      },
      fault: (reply) => {
        if (reply.status === 200 && jsonObject(reply.body)?.["status"] === 1) return undefined;
        const { error, fix } = verdict(reply);
        return { error: error ?? `answered ${reply.status}`, fix: fix ?? "check the token, the user key and the device" };
      },
    },
    // A message cannot be changed, but one that repeats is stopped
    change: {
      request: (_, receipt) => ({
        url: `${server}/1/receipts/${receipt}/cancel.json`,
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ token }).toString(),
      }),
      verdict: (reply) => ({ ...verdict(reply), isFinal: reply.status >= 400 && reply.status < 500 && reply.status !== 429 }),
    },
  };
}

function verdict({ status, body }: { readonly status: number; readonly body: string }): Verdict {
  const answer = jsonObject(body);
  if (status === 200 && answer?.["status"] === 1) {
    return { isAccepted: true, reference: textOf(answer["receipt"]) ?? textOf(answer["request"]) ?? null };
  }
  const errors = Array.isArray(answer?.["errors"])
    ? (answer["errors"] as readonly unknown[]).filter((each) => typeof each === "string")
    : [];
  const error = errors.length > 0 ? errors.join("; ") : undefined;
  return {
    ...{ isAccepted: false, error, isPictureRefused: status === 413 || /attachment/i.test(error ?? "") },
    fix: status === 429 ? "the month's messages of this application are used up" : fixOf(error),
  };
}

function fixOf(error = ""): string | undefined {
  if (/token/i.test(error)) return "set the token of the application again";
  return /user/i.test(error) ? "set the user key again" : undefined;
}
