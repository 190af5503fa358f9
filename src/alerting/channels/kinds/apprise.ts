import { z } from "zod";
import { jsonObject, phoneKind, type Sender, textOf, type Verdict } from "../kind.ts";
import { jpegFile, multipart } from "../multipart.ts";
import { cutAtWord, type PhoneMessage } from "../phone-message.ts";
import { Server, Text } from "../setting-values.ts";

/** The colours and icons of Apprise. */
const types = { low: "info", medium: "info", high: "warning", critical: "failure" } as const;
const mostText = 4096;
/** Half of what an Apprise API takes by default, which may pass it on to a service that takes less. */
const pictureBytes = 5_000_000;

const settings = z.strictObject({
  server: Server,
  key: Text(128).regex(/^[\w-]{1,128}$/, "Must be the key of a configuration: letters, digits, - and _"),
  tag: Text(200).optional(),
});

type Settings = z.output<typeof settings>;

/** An Apprise API server, which passes messages on to the services of one of its configurations. */
export const apprise = phoneKind({ title: "Apprise", settings, secrets: ["key"], sender });

function sender({ server, key, tag }: Settings): Sender {
  return {
    server,
    pictureBytes,
    request: (message) => {
      const { body, contentType } = multipart({
        title: cutAtWord(message.title, 250),
        body: textWithLink(message),
        type: types[message.urgency],
        format: "text",
        tag,
        attach: jpegFile(message.picture),
      });
      return { url: `${server}/notify/${key}`, headers: { "content-type": contentType, accept: "application/json" }, body };
    },
    verdict,
    check: {
      request: { url: `${server}/json/urls/${key}`, headers: { accept: "application/json" } },
      fault: ({ status }) => {
        // 403: the server keeps its configurations to itself, and takes messages all the same
        if (status === 200 || status === 403) return undefined;
        const error = status === 204 ? "there is no such configuration" : `answered ${status}`;
        return { error, fix: status === 204 ? "check the key, and save a configuration under it" : "check the address of the Apprise API" };
      },
    },
  };
}

const textWithLink = ({ text, link }: PhoneMessage): string =>
  [cutAtWord(text, mostText), ...(link === undefined ? [] : [link])].join("\n");

function verdict({ status, body }: { readonly status: number; readonly body: string }): Verdict {
  const answer = jsonObject(body);
  // Old versions answer in plain text
  if (status === 200) return { isAccepted: (answer !== undefined && !answer["error"]) || /^notification/i.test(body.trim()) };
  if (status === 204) return { isAccepted: false, error: "no such configuration", fix: "check the key, and save a configuration under it" };
  return {
    isAccepted: false,
    error: textOf(answer?.["error"]) ?? (status === 424 ? "a service of the configuration refused the message" : undefined),
    fix: status === 424 ? "send a test in the page of the Apprise API, or check the tag" : undefined,
    isPictureRefused: status === 413,
  };
}
