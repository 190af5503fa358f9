import { z } from "zod";
import { jsonObject, phoneKind, type Sender, textOf, type Verdict } from "../kind.ts";
import { cutAtWord, type PhoneMessage } from "../phone-message.ts";
import { Server, Text, Token } from "../setting-values.ts";

/** Of iOS: `critical` sounds in silent mode too. */
const levels = { low: "passive", medium: "active", high: "time-sensitive", critical: "critical" } as const;
/** More is cut off by the push services of Apple and Google. */
const mostText = 2000;

const settings = z.strictObject({
  server: Server,
  token: Token,
  service: Text(255)
    .transform((name) => name.replace(/^notify\./, ""))
    .refine((name) => /^\w+$/.test(name), "Must be the name of a notify action, such as mobile_app_annas_phone"),
});

/** The app of Home Assistant, or any other notify action. The phone loads the picture from PUBLIC_URL. */
export const homeAssistant = phoneKind({ title: "Home Assistant", settings, secrets: ["token"], sender });

function sender({ server, token, service }: z.output<typeof settings>): Sender {
  return {
    server,
    pictureBytes: null,
    request: (message) => ({
      url: `${server}/api/services/notify/${service}`,
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify({ title: cutAtWord(message.title, 250), message: cutAtWord(message.text, mostText), data: dataOf(message) }),
    }),
    verdict,
    check: {
      request: { url: `${server}/api/`, headers: { authorization: `Bearer ${token}` } },
      fault: ({ status, body }) => {
        if (status === 200 && jsonObject(body)?.["message"] !== undefined) return undefined;
        const fix = status === 401 ? "set a new long-lived access token" : "check the address of Home Assistant";
        return { error: status === 401 ? "it refuses the token" : `answered ${status}, but not as Home Assistant does`, fix };
      },
    },
  };
}

/** Android reads `priority`, `ttl`, `channel` and `clickAction`, iOS reads `push` and `url`, and both read `tag` and `image`. */
function dataOf({ urgency, link, pictureLink, topic }: PhoneMessage): object {
  return {
    ...{ tag: topic, group: "homesec", channel: `homesec ${urgency}` },
    ...(link !== undefined && { url: link, clickAction: link }),
    ...(pictureLink !== undefined && { image: pictureLink }),
    ...((urgency === "high" || urgency === "critical") && { priority: "high", ttl: 0 }),
    push: {
      "interruption-level": levels[urgency],
      ...(urgency === "critical" && { sound: { name: "default", critical: 1, volume: 1 } }),
    },
  };
}

function verdict({ status, body }: { readonly status: number; readonly body: string }): Verdict {
  // The states that changed, which are none
  if (status === 200) return { isAccepted: body.trimStart().startsWith("[") };
  const error = textOf(jsonObject(body)?.["message"]) ?? textOf(body.trim());
  return { isAccepted: false, error, fix: fixes[status] };
}

const fixes: Readonly<Record<number, string>> = {
  400: "check the name of the notify action in Home Assistant",
  401: "set a new long-lived access token",
  404: "check the address of Home Assistant",
};
