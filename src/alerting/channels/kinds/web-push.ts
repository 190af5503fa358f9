import { createHash } from "node:crypto";
import { z } from "zod";
import { dayMs } from "../../../base/clock/clock.ts";
import { jsonObject, type PhoneRequest, phoneKind, type Sender, textOf, type Verdict } from "../kind.ts";
import { cutToBytes, type PhoneMessage } from "../phone-message.ts";
import { encryptPush, isPublicKey, vapidHeader } from "../push-encryption.ts";
import { Text } from "../setting-values.ts";

const urgencies = { low: "low", medium: "normal", high: "high", critical: "high" } as const;

/** Services take 4,096 bytes encrypted, and some pass on only 3,000. */
export const mostPayloadBytes = 3_000;
const mostTitleBytes = 250;
/** A phone that was off for longer gets no old alert. Buttons work as long. */
const keptSeconds = dayMs / 1000;

const settings = z.strictObject({
  /** These three are listed; the others are secret. */
  server: z.string(),
  subscription: z.string(),
  device: Text(80),
  endpoint: z
    .string()
    .max(2048)
    .refine((text) => URL.canParse(text) && new URL(text).protocol === "https:", "Must be an https address, which the browser gives")
    .refine((text) => !URL.canParse(text) || new URL(text).username === "", "Must contain no user name"),
  p256dh: z.string().refine(isPublicKey, "Must be a public key of the curve P-256, 65 bytes long"),
  auth: z.string(),
  vapid_public: z.string(),
  vapid_private: z.string(),
});

type Settings = z.output<typeof settings>;

/** A browser with the page of homesec, by the push service of its maker. */
export const webPush = phoneKind({
  title: "Web Push",
  settings,
  secrets: ["endpoint", "p256dh", "auth", "vapid_public", "vapid_private"],
  changeable: "^replaceable$",
  sender,
});

/** Names a subscription without giving away its address, which is its secret. The page computes the same. */
export function subscriptionOf(endpoint: string): string {
  return createHash("sha256").update(endpoint).digest("hex").slice(0, 32);
}

function sender({ server, endpoint, p256dh, auth, vapid_public, vapid_private }: Settings): Sender {
  const request = (message: PhoneMessage): PhoneRequest => ({
    url: endpoint,
    headers: {
      authorization: vapidHeader(endpoint, { publicKey: vapid_public, privateKey: vapid_private }, new Date()),
      "content-encoding": "aes128gcm",
      "content-type": "application/octet-stream",
      ttl: String(keptSeconds),
      urgency: urgencies[message.urgency],
      topic: topicOf(message),
    },
    body: encryptPush(payloadOf(message), { p256dh, auth }),
    isOnInternet: true,
  });
  // On Apple's devices, a message with the same tag does not replace the one before: it would be a second one
  const reference = new URL(endpoint).hostname === "web.push.apple.com" ? null : "replaceable";
  return {
    server,
    // The device loads the picture itself
    pictureBytes: null,
    request,
    verdict: (reply) => ({ ...verdict(reply), reference }),
    change: {
      request: (message) => request({ ...message, text: `${message.ended ?? ""}\n${message.text}`, buttons: [] }),
      verdict,
    },
    // Only a message would show whether the browser is still there
    check: {
      request: { url: `${server}/`, headers: {}, isOnInternet: true },
      fault: ({ status }) =>
        status < 500
          ? undefined
          : { error: `answered ${status}`, fix: "wait: the push service has a fault, and homesec tries messages again" },
    },
  };
}

/** A message that is still at the service is replaced by the next with its topic: at most 32 characters. */
const topicOf = ({ topic }: PhoneMessage): string => createHash("sha256").update(topic).digest("base64url").slice(0, 32);

/** Writes a message for `web/public/service-worker.js`. A text that is too long is cut at a word. */
export function payloadOf({ title, text, topic, urgency, paths, buttons = [] }: PhoneMessage): Buffer {
  const write = (shown: string): Buffer =>
    Buffer.from(
      JSON.stringify({
        ...{ title: cutToBytes(title, mostTitleBytes), text: shown, tag: topic, isQuiet: urgency === "low" },
        ...{ isUrgent: urgency === "critical", page: paths?.page, picture: paths?.picture, buttons },
      }),
    );
  let payload = write(text);
  // What JSON escapes takes more bytes than it has characters
  for (let bytes = Buffer.byteLength(text); payload.length > mostPayloadBytes && bytes > 0; ) {
    bytes = Math.max(0, Math.min(bytes - (payload.length - mostPayloadBytes), bytes - 1));
    payload = write(cutToBytes(text, bytes));
  }
  return payload;
}

/** RFC 8030: 201 is the only success. */
function verdict({ status, body }: { readonly status: number; readonly body: string }): Verdict {
  if (status === 201) return { isAccepted: true };
  const answer = jsonObject(body);
  const error = textOf(answer?.["reason"]) ?? textOf(answer?.["message"]) ?? (status < 300 ? undefined : textOf(body.trim()));
  const isGone = status === 404 || status === 410;
  return { isAccepted: false, error, fix: fixes[status], isGone, isFinal: status === 400 || status === 413 };
}

const again = "turn Notify this device off and on again on the device";

const fixes: Readonly<Record<number, string>> = {
  400: again,
  401: again,
  403: again,
  404: `the browser ended its subscription, so the channel is off; to get alerts there again, ${again}`,
  410: `the browser ended its subscription, so the channel is off; to get alerts there again, ${again}`,
  413: "the message is too long for this service",
};
