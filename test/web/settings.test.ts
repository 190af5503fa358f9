import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { accessibilityFindings, chromiumInstalled, screens } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { ntfyServer } from "../support/phones/ntfy.ts";
import { telegramServer } from "../support/phones/telegram.ts";
import { useWebHome } from "./home.ts";

// a browser needs processor time that other tests take at the same moment
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

describe.skipIf(!chromiumInstalled)("web page: settings (needs chromium)", () => {
  let target: Server;
  let status = 200;
  const received: string[] = [];
  let address: string;
  beforeAll(async () => {
    target = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk) => (body += chunk));
      request.on("end", () => {
        received.push(body);
        response.writeHead(status).end("thank you");
      });
    });
    await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
    address = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
  });
  afterAll(() => void target?.close());
  const home = useWebHome(() => ({ DEFAULT_WEBHOOK_URL: `${address}/chat`, RECEIVER_HOST: "127.0.0.1", MAIL_PORT: "0" }));

  it("web page: a channel that is not set up says which lines it needs, the other sends a test message", async () => {
    const { page, complaints } = await home.visit();
    await page.goto("/settings/channels");
    await page.getByText("SMTP_HOST=smtp.example.com").waitFor();
    await page.getByRole("button", { name: "Send a test message" }).click();
    await page.getByText(/test message was taken|accepted/i).waitFor();
    expect(received.length).toBe(1);
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("web page: a webhook is created, tested, fails, is sent again, changed and deleted", async () => {
    const { page, complaints } = await home.visit(screens.desktop);
    await page.goto("/settings/webhooks");
    await page.getByRole("link", { name: "Add a webhook" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Kitchen light");
    await page.getByLabel("Address", { exact: true }).fill(`${address}/light`);
    await page.getByText("Only some alerts").click();
    await page.getByRole("checkbox", { name: "low", exact: true }).check();
    await page.getByRole("checkbox", { name: "high", exact: true }).check();
    await page.getByText("Authentication, retries, headers, template").click();
    await page.getByLabel("Retries").fill("0");
    await page.getByRole("button", { name: "Create the webhook" }).click();
    await page.getByText(/^whsec_/).waitFor();
    await page.getByRole("link", { name: "Go on to a test message" }).click();
    await page.getByRole("button", { name: "Send a test message" }).click();
    await page.getByText(/The target accepted it: status 200/).waitFor();

    status = 400;
    await home.addEvent({ camera: "garden", score: 90, summary: "A person climbs over the fence.", minutesAgo: 0 });
    await page.getByText("failed", { exact: true }).first().waitFor();
    await page.getByText("failed", { exact: true }).first().click();
    await page.getByText(/Attempt 1, .*: status 400/).waitFor();
    status = 200;
    await page.getByRole("button", { name: "Send again" }).first().click();
    await page.getByText("accepted", { exact: true }).first().waitFor();

    expect(await home.ask("GET", "/api/outbound-webhooks")).toMatchObject({ webhooks: [{ rule_ids: null, severities: ["low", "high"] }] });
    await page.getByLabel("Name", { exact: true }).fill("Hall light");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { level: 1, name: "Hall light" }).waitFor();
    await page.getByRole("switch", { name: "Hall light" }).click();
    await page.getByRole("switch", { name: "Hall light", checked: false }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("No webhooks yet").waitFor();
    expect(await home.ask("GET", "/api/outbound-webhooks")).toMatchObject({ total: 0 });
    expect(complaints).toEqual([]);
  });

  it("web page: a recorder gets a mail login, and rules that say which camera its mails are for", async () => {
    const { page, complaints } = await home.visit();
    await page.goto("/cameras/garden");
    const delivery = page.getByRole("region", { name: "How it delivers" });
    await delivery.getByRole("button", { name: "Mail", exact: true }).click();
    await page.getByText("Enter this in the camera").waitFor();
    await page.getByText("A recorder sends for several cameras").click();
    await page.getByRole("button", { name: "Add a rule" }).click();
    const rule = page.getByRole("group", { name: "Rule 1" });
    await rule.getByLabel("Pattern").fill("*On Channel A1");
    await rule.getByLabel("Camera").selectOption("front-door");
    await page.getByLabel("Other mails go to").selectOption({ label: "No camera: refuse them" });
    await delivery.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("The rules are saved").waitFor();
    await page.getByText("Mails go to several cameras by 1 rule").waitFor();
    const logins = async () =>
      ((await home.ask("GET", "/api/receivers?camera_id=garden")) as { logins: { mail_rules: object[]; unmatched_camera_id: unknown }[] })
        .logins;
    expect(await logins()).toMatchObject([
      { mail_rules: [{ field: "subject", pattern: "*On Channel A1", camera_id: "front-door" }], unmatched_camera_id: null },
    ]);
    expect(await accessibilityFindings(page)).toEqual([]);

    // the form opens again with what was saved
    await page.reload();
    await page.getByText("Mails go to several cameras by 1 rule").click();
    await page.getByRole("button", { name: "Add a rule" }).click();
    await page.getByRole("group", { name: "Rule 2" }).getByLabel("Matches").selectOption("text");
    await page.getByRole("group", { name: "Rule 2" }).getByLabel("Pattern").fill("Alarm Input Channel No.: 2");
    await page.getByRole("button", { name: "Remove rule 1" }).click();
    await delivery.getByRole("button", { name: "Save", exact: true }).click();
    await expect.poll(logins).toMatchObject([{ mail_rules: [{ field: "text", pattern: "Alarm Input Channel No.: 2" }] }]);
    expect(complaints).toEqual([]);
  });

  it("web page: a phone is added, gets a test message, is renamed, and an immediate rule names it", async () => {
    const ntfy = await ntfyServer();
    try {
      const { page, complaints } = await home.visit();
      await page.goto("/settings/channels");
      await page.getByRole("button", { name: "Add a phone" }).click();
      const form = page.getByRole("form", { name: "Add a phone" });
      await form.getByLabel("Name", { exact: true }).fill("Anna");
      await form.getByLabel("Topic", { exact: true }).fill("no topic!");
      await form.getByText("More settings").click();
      await form.getByLabel("Address of the server").fill(ntfy.url);
      await form.getByRole("button", { name: "Add", exact: true }).click();
      await form.getByText(/Must be 1 to 64 letters, digits/).waitFor();
      expect(await accessibilityFindings(page)).toEqual([]);
      await form.getByLabel("Topic", { exact: true }).fill("home-7Qm2xK");
      await form.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByText(`In the ntfy app, subscribe to the topic home-7Qm2xK at ${ntfy.url}.`).waitFor();
      const phones = page.getByRole("region", { name: "Phones" });
      await phones.getByRole("button", { name: "Send a test message" }).click();
      await page.getByText("ntfy accepted the test message").waitFor();
      expect(ntfy.messages.map(({ topic }) => topic)).toEqual(["home-7Qm2xK"]);
      await page.getByRole("button", { name: "Change Anna" }).click();
      await page.getByRole("form", { name: "Change Anna" }).getByLabel("Name", { exact: true }).fill("Anna's phone");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Anna's phone is saved").waitFor();

      await page.goto("/rules/new?from=people");
      await page.getByLabel("Name", { exact: true }).fill("At once");
      await page.getByRole("checkbox", { name: "Alert during the visit, before it is rated" }).check();
      await page.getByRole("checkbox", { name: "Anna's phone" }).check();
      await page.getByRole("button", { name: "Save rule" }).click();
      await page.waitForURL(/\/rules$/);
      const { items } = (await home.ask("GET", "/api/alerts/rules?limit=1000")) as { items: { name: string; channels: string[] }[] };
      const rule = items.find(({ name }) => name === "At once");
      expect(rule).toMatchObject({ immediate: true });
      expect(rule?.channels).toContain("Anna's phone");

      await page.goto("/settings/channels");
      await page.getByRole("button", { name: "Delete Anna's phone" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await page.getByText(/These rules name the channel Anna's phone: At once/).waitFor();
      expect(complaints.filter((complaint) => !/409|422/.test(complaint))).toEqual([]);
    } finally {
      await ntfy.close();
    }
  });

  it("web page: the chat of a Telegram bot is found by a message to it, and gets a test message", async () => {
    const token = "123456789:AAFq-1w2e3r4t5z6u7i8o9p0aSdFgHjKlYx";
    const telegram = await telegramServer(token);
    try {
      const { page, complaints } = await home.visit();
      await page.goto("/settings/channels");
      await page.getByRole("button", { name: "Add a phone" }).click();
      const form = page.getByRole("form", { name: "Add a phone" });
      await form.getByLabel("Service").selectOption("Telegram");
      await form.getByLabel("Token of the bot").fill(token);
      await form.getByText("More settings").click();
      await form.getByLabel("Address of the server").fill(telegram.url);
      await form.getByRole("button", { name: "Find the chat" }).click();
      await form.getByText("Now write any message to @home_alerts_bot in Telegram.").waitFor();
      telegram.join({ id: 4711, first_name: "Anna", type: "private" });
      await form.getByText("Found the chat with Anna").waitFor();
      expect(await form.getByLabel("Chat", { exact: true }).inputValue()).toBe("4711");
      expect(await accessibilityFindings(page)).toEqual([]);
      await form.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByText("Telegram added. Send a test message now.").waitFor();
      const phone = page.getByRole("article").filter({ hasText: "Telegram" });
      await phone.getByRole("button", { name: "Send a test message" }).click();
      await page.getByText("Telegram accepted the test message").waitFor();
      expect(telegram.messages).toMatchObject([{ chat: "4711" }]);
      expect(complaints).toEqual([]);
      const { channels } = (await home.ask("GET", "/api/channels")) as { channels: { id: string; kind: string }[] };
      await home.ask("DELETE", `/api/channels/${channels.find(({ kind }) => kind === "telegram")?.id}`);
    } finally {
      await telegram.close();
    }
  });

  it("web page: two people get hours, wishes and an escalation; a rule names one or everyone, and what is held back shows", async () => {
    const { page, complaints } = await home.visit();
    await page.goto("/settings/recipients");
    const add = async (name: string, mail: string): Promise<Locator> => {
      await page.getByRole("button", { name: "Add a recipient" }).click();
      const form = page.getByRole("form", { name: "Add a recipient" });
      await form.getByLabel("Name", { exact: true }).fill(name);
      await form.getByLabel("Mail addresses").fill(mail);
      return form;
    };
    const ben = await add("Ben", "ben at example.org");
    await ben.getByLabel("Lowest severity").selectOption("high or critical");
    await ben.getByRole("button", { name: "Add", exact: true }).click();
    await ben.getByText(/neither a mail address nor a channel to phones/).waitFor();
    await ben.getByLabel("Mail addresses").fill("ben@example.org");
    await ben.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("Ben is added").waitFor();

    const anna = await add("Anna", "anna@example.org, anna@work.example.org");
    await anna.getByText("Nothing goes to anna@example.org, anna@work.example.org without a mail server.").waitFor();
    await anna.getByRole("radio", { name: "At certain hours" }).check();
    const first = anna.getByRole("group", { name: "Hours 1" });
    for (const day of ["Mon", "Tue"]) await first.getByRole("checkbox", { name: day }).check();
    await anna.getByRole("button", { name: "Add hours for other days" }).click();
    const second = anna.getByRole("group", { name: "Hours 2" });
    await second.getByLabel("From").fill("09:00");
    await second.getByRole("checkbox", { name: "Sun" }).check();
    await anna.getByLabel("Then notify").selectOption("Ben");
    await anna.getByLabel("After minutes").fill("15");
    expect(await accessibilityFindings(page)).toEqual([]);
    await anna.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("Mon, Tue 07:00–22:00; Sun 09:00–22:00").waitFor();
    await page.getByText("Ben follows after 15 min").waitFor();
    type Stored = { id: string; channels: string[]; hours: { timezone: string }[] };
    const { recipients } = (await home.ask("GET", "/api/recipients")) as { recipients: Stored[] };
    const zone = recipients[0]?.hours[0]?.timezone;
    expect(recipients[0]).toMatchObject({
      channels: ["anna@example.org", "anna@work.example.org"],
      hours: [
        { days: ["monday", "tuesday"], start_time: "07:00", end_time: "22:00", timezone: zone },
        { days: ["sunday"], start_time: "09:00", end_time: "22:00", timezone: zone },
      ],
      ...{ severity: "low", repeat_minutes: 5, repeat_times: 6, escalate_to: "Ben", escalate_minutes: 15 },
    });
    expect(recipients[1]).toMatchObject({ name: "Ben", severity: "high", hours: null, escalate_to: null });

    await page.goto("/rules/new?from=people");
    await page.getByLabel("Name", { exact: true }).fill("For people");
    await page.getByRole("checkbox", { name: /^Everyone/ }).check();
    await page.getByRole("checkbox", { name: "Anna", exact: true }).check();
    await page.getByRole("button", { name: "Save rule" }).click();
    await page.waitForURL(/\/rules$/);
    await page.getByText(/everyone, Anna/).waitFor();
    const { items } = (await home.ask("GET", "/api/alerts/rules?limit=1000")) as { items: { name: string; channels: string[] }[] };
    expect(items.find(({ name }) => name === "For people")?.channels).toEqual(expect.arrayContaining(["all", "Anna"]));

    // hours that begin in half a day, whatever time it is
    const late = new Date(Date.now() + 12 * 3_600_000).toISOString().slice(11, 13);
    const hours = [{ start_time: `${late}:00`, end_time: `${late}:59`, timezone: "UTC" }];
    await home.ask("PATCH", `/api/recipients/${recipients[0]?.id}`, { hours });
    await home.addEvent({ camera: "garden", score: 75, summary: "A person at the shed.", minutesAgo: 0 });
    await page.goto("/settings/recipients");
    await page.getByText(/^1 alert is held back until/).waitFor({ timeout: 30_000 });
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "Change Anna" }).click();
    const change = page.getByRole("form", { name: "Change Anna" });
    await change.getByRole("radio", { name: "At any hour" }).check();
    await change.getByText("Only alerts of some rules").click();
    await change.getByRole("checkbox", { name: "For people" }).check();
    await change.getByRole("button", { name: "Save" }).click();
    await page.getByText("only: For people").waitFor();
    await page.getByRole("switch", { name: "Anna" }).click();
    await page.getByRole("switch", { name: "Anna", checked: false }).waitFor();
    await page.getByRole("button", { name: "Delete Anna" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText(/These rules name the recipient Anna: For people/).waitFor();
    await page.getByRole("button", { name: "Delete Ben" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("Ben is deleted").waitFor();
    expect(complaints.filter((complaint) => !/409|422/.test(complaint))).toEqual([]);
  });

  it("web page: an invitation signs a browser in, and its session is ended on the page", async () => {
    const { page, complaints } = await home.visit();
    await page.goto("/settings/keys");
    const invite = page.getByRole("region", { name: "Invite a person" });
    await invite.getByLabel("Name").fill("Anna");
    await invite.getByLabel("Role").selectOption("Guest");
    await invite.getByLabel("Garden").check();
    await invite.getByRole("button", { name: "Create an invitation" }).click();
    await invite.getByRole("img", { name: "QR code of the invitation for Anna" }).waitFor();
    const link = (await invite.locator("pre").textContent()) ?? "";
    expect(await accessibilityFindings(page)).toEqual([]);

    const guest = await home.visit();
    await guest.page.goto(link.trim());
    await guest.page.getByRole("button").first().click();
    await guest.page.waitForURL((url) => !url.pathname.startsWith("/invite"));
    await guest.page.goto("/settings");
    await guest.page.getByText(/^Guest/).waitFor();

    await page.getByText("Anna", { exact: true }).first().waitFor();
    await page.getByRole("button", { name: "Sign out: Anna" }).click();
    await page.getByRole("dialog", { name: "End the access of Anna?" }).getByRole("button", { name: "Sign out" }).click();
    await page.getByText("The access of Anna has ended").waitFor();
    expect(await home.ask("GET", "/api/keys?status=active")).toMatchObject({ items: [] });
    expect(complaints).toEqual([]);
  });

  it("web page: a key is shown once, listed and revoked", async () => {
    const { page } = await home.visit(screens.desktop);
    await page.goto("/settings/keys");
    const form = page.getByRole("region", { name: "Key for a program" });
    await form.getByLabel("Name").fill("backup script");
    await form.getByLabel("Valid").selectOption("for 30 days");
    await form.getByRole("button", { name: "Create a key" }).click();
    await form.getByText(/^hs_/).waitFor();
    await page.reload();
    await page.getByText("backup script").first().waitFor();
    expect(await page.getByText(/^hs_/).count()).toBe(0);
    await page.getByRole("button", { name: "Revoke: backup script" }).click();
    await page
      .getByRole("dialog", { name: /backup script/ })
      .getByRole("button", { name: "Revoke" })
      .click();
    await page.getByText("The access of backup script has ended").waitFor();
  });

  it("web page: the mode is switched by two taps, counts down, is cancelled, and is set by a schedule", async () => {
    const { page, complaints } = await home.visit();
    await page.goto("/");
    await page.getByRole("button", { name: "Mode: Home" }).click();
    await page.getByRole("button", { name: /^Away/ }).click();
    await page.getByRole("button", { name: /^Away in \d+ s$/ }).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Mode: Home" }).click();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole("button", { name: /^Night/ }).click();
    await page.getByRole("button", { name: "Mode: Night" }).waitFor();

    await page.goto("/settings/modes");
    await page.getByText("from Home to Night").waitFor();
    const away = page.getByRole("region", { name: "Away" });
    await away.getByLabel("Time to come home").selectOption("0");
    await away.getByLabel("Switch to it by a schedule").check();
    await away.getByRole("button", { name: "Save: Away" }).click();
    await page.getByText("Away is saved").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("holiday");
    await page.getByRole("button", { name: "Create the mode" }).click();
    await page.getByRole("button", { name: "Delete: holiday" }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    const { modes } = (await home.ask("GET", "/api/modes")) as {
      modes: { name: string; entry_delay_seconds: number; schedule: object | null }[];
    };
    expect(modes.map(({ name }) => name)).toEqual(["home", "away", "night", "off", "holiday"]);
    expect(modes[1]).toMatchObject({ entry_delay_seconds: 0, schedule: { start_time: "23:00", end_time: "06:00" } });
    expect(complaints).toEqual([]);
  });

  it("web page: a setting is changed, an error is said in the words of homesec, and the configured value returns", async () => {
    const { page } = await home.visit();
    await page.goto("/settings/configuration");
    const field = page.getByLabel("Keep events and detections, in days");
    await field.fill("14");
    await field.press("Enter");
    await page.getByText("Saved").waitFor();
    expect(await home.ask("GET", "/api/system/config")).toMatchObject({ retention_days: 14 });
    await page.getByRole("button", { name: "Use the configured value: Keep events" }).click();
    const days = async (): Promise<number> => ((await home.ask("GET", "/api/system/config")) as { retention_days: number }).retention_days;
    await eventually(async () => (await days()) === 30, { what: "the configured value" });
    await page.getByLabel("critical").fill("40");
    await page.getByLabel("critical").press("Enter");
    await page.getByText(/Must start at 0 and ascend/).waitFor();
    await page.getByLabel("Find a variable").fill("default_webhook");
    await page.getByText("DEFAULT_WEBHOOK_URL", { exact: true }).waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe("?q=default_webhook");
    expect(await page.content()).not.toContain(`${address}/chat`);
    expect(await accessibilityFindings(page)).toEqual([]);
  });
});
