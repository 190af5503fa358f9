import { type PagePath, pagePaths } from "../src/contract/pages.ts";
import { Problem } from "../src/contract/problem.ts";
import { recordCommand } from "./command-shapes.ts";
import { optionalText, optionalWord } from "./input/arguments.ts";
import { cameraIdOf } from "./input/find-camera.ts";
import { flag } from "./input/options.ts";
import type { Io } from "./io.ts";
import { openBrowser } from "./open-browser.ts";
import type { View } from "./output/view.ts";

/** Pages that only make sense before signing in. */
const beforeSignIn: PagePath = "/login";

/** The word for a page: the first part of its address. Pages within pages and those of one record have none. */
type PageWord<P extends string = PagePath> = P extends "/"
  ? "now"
  : P extends "/login" | `/${string}/${string}`
    ? never
    : P extends `/${infer Name}`
      ? Name
      : never;

const pageWords = pagePaths.flatMap((path) => {
  const [, name = ""] = /^\/([a-z]*)$/.exec(path) ?? [];
  return path === "/" ? "now" : path === beforeSignIn ? [] : name || [];
}) as readonly PageWord[];

const words: readonly Word[] = [...pageWords, "docs", "event", "camera"];
type Word = PageWord | "docs" | "event" | "camera";

interface Opened {
  readonly page: Word;
  readonly url: string;
  /** Whether a browser was started. */
  readonly opened: boolean;
}

const view: View<Opened> = {
  plural: "pages",
  fields: () => ["page", "url", "opened"],
  id: ({ url }) => url,
  columns: [],
  details: ({ url, opened }) => [[opened ? "opened" : "page", { text: url }]],
};

export const open = recordCommand({
  name: "open",
  summary: "Open the web page, or print its address",
  description: `Prints the address of a page and opens it in the browser of this machine. Over SSH, without a display, in CI, or when the output is not a
terminal it only prints the address. Exits with 0 once the address is printed, also if no browser was found, with 3 if the event or camera does
not exist, and with 6 if no daemon answers.`,
  arguments: { page: optionalWord(words, "Page (default now)"), id: optionalText("Id of an event, or id or name of a camera") },
  options: { print: flag("Only print the address") },
  examples: [
    { command: "homesec open", note: "what is going on now" },
    { command: "homesec open event 42", note: "one event" },
    { command: "homesec open camera garden", note: "one camera" },
    { command: "homesec open review --print", note: "the address of a page" },
  ],
  view,
  async record(io, { arguments: { page = "now", id }, options: { print } }) {
    if (io.global.direct) throw new Problem("invalid", "open needs a daemon; remove --direct and start one with `homesec serve`");
    const path = await pathOf(io, page, id);
    const { url: base, isGiven } = await io.endpoint();
    const isOff = !isGiven && page !== "docs" && !(await io.configuration()).config.webEnabled;
    if (isOff) throw new Problem("invalid", "The web page is switched off; set WEB_ENABLED=true and restart the daemon");
    const url = `${base}${path}`;
    const opened = !print && (await openBrowser(url, io.host));
    return { page, url, opened };
  },
});

/** Returns the path of a page. Throws `Problem` if what it shows does not exist. */
async function pathOf(io: Io, page: Word, id: string | undefined): Promise<string> {
  if (page !== "event" && page !== "camera") {
    if (id !== undefined) throw new Problem("invalid", `The page ${page} takes no id; use \`open event ID\` or \`open camera ID\``);
    return page === "now" ? "/" : `/${page}`;
  }
  if (id === undefined)
    throw new Problem("invalid", `Which ${page}? Add its id, such as \`open ${page} ${page === "event" ? "42" : "garden"}\``);
  if (page === "camera") {
    const cameraId = await cameraIdOf(io, id, "camera");
    await io.call("getCamera", { params: { camera_id: cameraId } });
    return `/cameras/${encodeURIComponent(cameraId)}`;
  }
  if (!/^\d{1,16}$/.test(id))
    throw new Problem("invalid", `${JSON.stringify(id)} is not the id of an event; \`homesec events list\` shows ids`);
  await io.call("getEvent", { params: { event_id: Number(id) } });
  return `/events/${Number(id)}`;
}
