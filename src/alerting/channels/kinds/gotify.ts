import { z } from "zod";
import { jsonObject, phoneKind, type Sender, textOf } from "../kind.ts";
import { cutAtWord } from "../phone-message.ts";
import { Server, Token } from "../setting-values.ts";

/** From 4 on the app makes a sound, from 8 on it vibrates too. */
const priorities = { low: 2, medium: 5, high: 8, critical: 10 } as const;
/** No limit of Gotify: more is not read on a phone. */
const mostText = 4096;

const settings = z.strictObject({ server: Server, token: Token });

/** A Gotify server: text with a link, since it takes no pictures. */
export const gotify = phoneKind({ title: "Gotify", settings, secrets: ["token"], sender });

function sender({ server, token }: z.output<typeof settings>): Sender {
  return {
    server,
    pictureBytes: null,
    request: ({ title, text, link, urgency }) => {
      const message = [cutAtWord(text, mostText), ...(link === undefined ? [] : [link])].join("\n");
      const extras = link === undefined ? undefined : { "client::notification": { click: { url: link } } };
      return {
        url: `${server}/message`,
        headers: { "content-type": "application/json", "x-gotify-key": token },
        body: JSON.stringify({ title: cutAtWord(title, 250), message, priority: priorities[urgency], extras }),
      };
    },
    // Gotify shows whether a token is right only to a message
    check: {
      request: { url: `${server}/health`, headers: {} },
      fault: ({ status, body }) =>
        status === 200 && textOf(jsonObject(body)?.["health"]) !== undefined
          ? undefined
          : { error: `its health page answered ${status}`, fix: "check the address of the Gotify server, and its log" },
    },
    verdict: ({ status, body }) => {
      const answer = jsonObject(body);
      const id = answer?.["id"];
      if (status === 200 && typeof id === "number") return { isAccepted: true, reference: String(id) };
      const error = textOf(answer?.["errorDescription"]) ?? textOf(answer?.["error"]);
      return { isAccepted: false, error, fix: status === 401 || status === 403 ? "set the token of the application again" : undefined };
    },
  };
}
