import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchBrowser, screens, visit, wholeChromium } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { HomeAssistant } from "../support/home-assistant.ts";
import { type ModelServer, modelServer } from "../support/model-servers.ts";
import { mosquittoBroker, mosquittoInstalled } from "../support/mqtt-broker.ts";
import { ntfyServer } from "../support/phones/ntfy.ts";
import { pushService } from "../support/phones/push-service.ts";
import { appriseServer, gotifyServer, homeAssistantServer, pushoverServer } from "../support/phones/services.ts";
import { telegramServer } from "../support/phones/telegram.ts";
import { receiver } from "../support/receiver.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { tmuxInstalled } from "../support/tmux.ts";
import { openDevice } from "./browser.ts";
import { type NewHome, newHome, type Typed } from "./new-home.ts";

/*
 * `npm run first-use`: sets up each service as a new user does, who has only the pages of docs/. Every command is one of these pages, typed in
 * a terminal of 80 x 24, and the time runs from the first key until the service has the message with its picture, or until the language
 * model has judged an event. Stand-ins that speak the protocols take the places of the services.
 */

const mostCommands = 3;
const mostSeconds = 120;
const docs = join(import.meta.dirname, "../../docs");
const demoPicture = join(import.meta.dirname, "../../demo/pictures/walkway-0060.jpg");

/** A measured setup. */
interface Row {
  readonly service: string;
  readonly commands: number;
  readonly answers: number;
  readonly seconds: number;
  readonly arrived: string;
}

const rows: Row[] = [];
let home: NewHome;
let push: Awaited<ReturnType<typeof pushService>>;
let stopwatch = 0;

/** Types the commands of a page. `with` replaces the addresses and keys of the page with those of the stand-ins. */
async function setUp(
  page: string,
  commands: readonly (Typed & { readonly more?: string; readonly with?: Readonly<Record<string, string>> })[],
) {
  const text = (await readFile(join(docs, page), "utf8")).replaceAll(/\\\n\s+/g, "");
  stopwatch = performance.now();
  for (const { more = "", with: own = {}, ...command } of commands) {
    expect(text, `docs/${page} does not have this command`).toContain(command.line);
    if (command.line === "homesec serve") {
      await home.restart();
      continue;
    }
    const line = Object.entries(own).reduce((typed, [theirs, ours]) => typed.replaceAll(theirs, ours), command.line);
    const screen = await home.type({ ...command, line: `${line}${more}` });
    // A text that is cut by the edge of the terminal ends in the middle of a word
    expect(Math.max(...screen.split("\n").map((each) => each.length))).toBeLessThanOrEqual(80);
  }
  return { commands: commands.length, answers: commands.reduce((sum, { answers = [] }) => sum + answers.length, 0) };
}

/** Notes how long it took, once `arrived` says that the message is there. */
async function measured(
  service: string,
  typed: Pick<Row, "commands" | "answers">,
  arrived: () => string | undefined | Promise<string | undefined>,
) {
  const what = await eventually(arrived, { timeoutMs: mostSeconds * 1000, what: `the message at ${service}` });
  const seconds = (performance.now() - stopwatch) / 1000;
  rows.push({ service, ...typed, seconds, arrived: what });
  expect(typed.commands, `${service} takes too many commands`).toBeLessThanOrEqual(mostCommands);
  expect(seconds, `${service} takes too long`).toBeLessThanOrEqual(mostSeconds);
}

const withPicture = (picture: Buffer | undefined): string | undefined =>
  picture?.subarray(0, 2).equals(Buffer.from([0xff, 0xd8])) ? "message with picture" : undefined;
const arrived = [/Did the message arrive\? \[Y\/n\]/, ""] as const;
const secret = (label: string): RegExp => new RegExp(`${label} \\(not shown\\):`);

function print(): void {
  const lines = rows.map(
    ({ service, commands, answers, seconds, arrived: what }) =>
      `| ${service} | ${commands} | ${answers} | ${seconds.toFixed(1)} s | ${what} |`,
  );
  const table = ["| service | commands | answers | time | what arrived |", "|---|---|---|---|---|", ...lines].join("\n");
  process.stdout.write(`\n${table}\n\n`);
}

describe.skipIf(process.env["FIRST_USE"] === undefined || !tmuxInstalled)(
  "first use (npm run first-use; needs tmux)",
  () => {
    beforeAll(async () => {
      push = await pushService();
      const certificate = join(temporaryFolder("push-certificate").path, "ca.pem");
      await writeFile(certificate, push.ca);
      // The stand-in of the push service is at home, with an own certificate; the test looks more often than a person
      home = await newHome({ NODE_EXTRA_CA_CERTS: certificate, OUTBOUND_ALLOW: "127.0.0.1", RATE_LIMIT_ENABLED: "false" });
      await mkdir(join(home.cameraRoot, "yard"));
      await addEvent(1);
    }, 180_000);
    afterAll(async () => {
      print();
      await home.close();
      await push.close();
    }, 60_000);

    /** A camera uploads a picture; resolves once there are this many events. */
    async function addEvent(events: number): Promise<void> {
      await copyFile(demoPicture, join(home.cameraRoot, "yard", `${events}.jpg`));
      await eventually(async () => (await ask<{ items: unknown[] }>("/api/events")).items.length >= events, {
        timeoutMs: 120_000,
        what: "an event",
      });
    }
    const ask = async <T>(path: string): Promise<T> => (await (await fetch(`${home.url}${path}`)).json()) as T;

    it("first use: ntfy", async () => {
      const ntfy = await ntfyServer();
      const answers = [[/Press Enter when the phone has subscribed\./, ""], arrived] as const;
      const typed = await setUp("phones.md", [{ line: "homesec channels add ntfy", more: ` --server ${ntfy.url}`, answers }]);
      await measured("ntfy", typed, () => withPicture(ntfy.messages.at(-1)?.picture));
      await ntfy.close();
    });

    it("first use: Telegram", async () => {
      const telegram = await telegramServer("123456:AAF-home");
      const anna = () => telegram.join({ id: 8_734_562, first_name: "Anna", type: "private" });
      const answers = [[secret("Token of the bot"), "123456:AAF-home"], arrived] as const;
      const typed = await setUp("phones.md", [
        { line: "homesec channels add telegram", more: ` --server ${telegram.url}`, answers, meanwhile: [/homesec waits for it/, anna] },
      ]);
      await measured("Telegram", typed, () => withPicture(telegram.messages.at(-1)?.picture));
      await telegram.close();
    });

    it("first use: Pushover", async () => {
      const keys = { token: "a".repeat(30), user: "u".repeat(30) };
      const pushover = await pushoverServer(keys);
      const answers = [[secret("Token of the application"), keys.token], [secret("User key"), keys.user], arrived] as const;
      const typed = await setUp("phones.md", [{ line: "homesec channels add pushover", more: ` --server ${pushover.url}`, answers }]);
      await measured("Pushover", typed, () => withPicture(pushover.messages.at(-1)?.picture));
      await pushover.close();
    });

    it("first use: Gotify", async () => {
      const gotify = await gotifyServer("AGotify.token1");
      const answers = [[/Address of the server:/, gotify.url], [secret("Token of the application"), "AGotify.token1"], arrived] as const;
      const typed = await setUp("phones.md", [{ line: "homesec channels add gotify", answers }]);
      await measured("Gotify", typed, () => (gotify.messages.length > 0 ? "message; Gotify takes no pictures" : undefined));
      await gotify.close();
    });

    it("first use: Home Assistant on the phone", async () => {
      const server = await homeAssistantServer("long-lived-token");
      const answers = [
        [/Address of the server:/, server.url],
        [secret("Long-lived access token"), "long-lived-token"],
        [/Notify action, such as mobile_app_annas_phone:/, "notify.mobile_app_annas_phone"],
        arrived,
      ] as const;
      const typed = await setUp("phones.md", [
        { line: "echo 'PUBLIC_URL=http://192.168.1.10:8000' >> .env", with: { "http://192.168.1.10:8000": home.url } },
        { line: "homesec channels add home_assistant", answers },
      ]);
      await measured("Home Assistant, notify", typed, async () => {
        const { image } = (server.messages.at(-1)?.["data"] ?? {}) as { image?: string };
        const loaded = image === undefined ? undefined : await fetch(image);
        return loaded?.headers.get("content-type")?.startsWith("image/") ? "message with picture" : undefined;
      });
      await server.close();
    });

    it("first use: Apprise", async () => {
      const apprise = await appriseServer("home-key");
      const answers = [[/Address of the server:/, apprise.url], [secret("Key of the configuration"), "home-key"], arrived] as const;
      const typed = await setUp("phones.md", [{ line: "homesec channels add apprise", answers }]);
      await measured("Apprise", typed, () => withPicture(apprise.messages.at(-1)?.picture));
      await apprise.close();
    });

    it.skipIf(wholeChromium === undefined)("first use: Web Push (needs Chromium)", async () => {
      const browser = await launchBrowser([], wholeChromium);
      const { page } = await visit(browser, home.url, screens.desktop);
      const device = await openDevice(page, home.url, push);
      stopwatch = performance.now();
      await page.goto("/settings/channels");
      await page.getByRole("switch", { name: "Notify this device", exact: true }).click();
      await page.getByText(/This device gets alerts as /).waitFor();
      const listed = page.getByRole("article").filter({ hasText: "Chrome on Linux" });
      await listed.getByRole("button", { name: "Send a test message" }).click();
      await measured("Web Push, in Chromium", { commands: 0, answers: 2 }, async () => {
        const message = push.pushed.at(-1)?.message;
        const [shown] = message ? await device.deliver(message) : [];
        const picture = shown?.image ? await fetch(shown.image) : undefined;
        return picture?.headers.get("content-type")?.startsWith("image/") ? "notification with picture" : undefined;
      });
      await browser.close();
    });

    it("first use: a chat", async () => {
      const hook = await receiver();
      const typed = await setUp("chat.md", [
        {
          line: "homesec webhooks add chat https://chat.example.com/abc --event-types alert_fired --integration-type slack",
          with: { "https://chat.example.com/abc": hook.url },
        },
        { line: "homesec webhooks test chat" },
      ]);
      await measured("Slack, by webhook", typed, () => (hook.received.at(-1)?.body.includes('"blocks"') ? "message" : undefined));
      await hook.close();
    });

    it.skipIf(!mosquittoInstalled)("first use: Home Assistant by MQTT (needs mosquitto)", async () => {
      const broker = await mosquittoBroker();
      const assistant = new HomeAssistant(broker.url);
      await assistant.start();
      const typed = await setUp("home-assistant.md", [
        {
          line: "printf '%s\\n' MQTT_URL=mqtt://homeassistant.local MQTT_USERNAME=homesec MQTT_PASSWORD=the-password PUBLIC_URL=http://192.168.1.10:8000 >> .env",
          with: { "mqtt://homeassistant.local": broker.url, "http://192.168.1.10:8000": home.url },
        },
        { line: "homesec doctor --only mqtt" },
      ]);
      await measured("Home Assistant, MQTT", typed, () => {
        const shown = withPicture(assistant.picture("image.homesec_camera_yard_picture"));
        return shown && `${assistant.devices().length} devices, camera with picture`;
      });
      expect(assistant.faults).toEqual([]);
      await assistant.stop();
      await home.resetSettings();
      await broker.stop();
    });

    describe("language models", () => {
      let events = 1;
      const judgedBy = async (service: string, server: ModelServer, lines: readonly string[], own: Readonly<Record<string, string>>) => {
        const typed = await setUp("language-models.md", [
          ...lines.map((line) => ({ line, with: own })),
          { line: "homesec serve" },
          { line: "homesec models probe" },
        ]);
        events += 1;
        await addEvent(events);
        await measured(service, typed, async () => {
          const { items } = await ask<{ items: { analyzed_by: string | null }[] }>("/api/events?limit=1");
          const by = items[0]?.analyzed_by ?? null;
          if (by === null || by === "built-in scorer") return undefined;
          const pictures = JSON.stringify(server.questions.at(-1)?.body).match(/data:image\/jpeg|"images":\["/g)?.length ?? 0;
          return `event judged${pictures > 0 ? " by its pictures" : ""}`;
        });
        await server.close();
        await home.resetSettings();
      };

      it("first use: Ollama", async () => {
        const server = await modelServer("ollama");
        const line = "printf '%s\\n' LANGUAGE_MODEL_URL=http://127.0.0.1:11434 LANGUAGE_MODEL_PICTURES=local >> .env";
        await judgedBy("Ollama", server, [line], { "http://127.0.0.1:11434": server.url });
      });

      it("first use: llama.cpp", async () => {
        const server = await modelServer("llamaCpp");
        const line = "printf '%s\\n' LANGUAGE_MODEL_URL=http://127.0.0.1:8081 LANGUAGE_MODEL_API=openai >> .env";
        await judgedBy("llama.cpp", server, [line], { "http://127.0.0.1:8081": server.url });
      });

      it("first use: OpenAI", async () => {
        const server = await modelServer("openAi", { key: "sk-home" });
        const line =
          "printf '%s\\n' LANGUAGE_MODEL_URL=https://api.openai.com/v1 LANGUAGE_MODEL_NAME=gpt-4.1-mini LANGUAGE_MODEL_KEY=sk-... >> .env";
        await judgedBy("OpenAI", server, [line], { "https://api.openai.com": server.url, "sk-...": "sk-home" });
      });

      it("first use: Gemini", async () => {
        const server = await modelServer("gemini");
        const line =
          "printf '%s\\n' LANGUAGE_MODEL_URL=https://generativelanguage.googleapis.com LANGUAGE_MODEL_NAME=gemini-2.5-flash LANGUAGE_MODEL_KEY=AIza... >> .env";
        const own = { "https://generativelanguage.googleapis.com": `${server.url} LANGUAGE_MODEL_API=gemini`, "AIza...": "AIza-test" };
        await judgedBy("Gemini", server, [line], own);
      });
    });
  },
  240_000,
);
