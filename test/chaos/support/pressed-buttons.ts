import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { type AnswerAction, readToken, writeToken } from "../../../src/alerting/notifications/answer-token.ts";
import { openSealer } from "../../../src/platform/secrets/sealer.ts";
import { eventually } from "../../support/eventually.ts";
import type { PhoneHome } from "./phone-home.ts";
import { lookAt, type Rows } from "./rows.ts";

/** A daemon that can be killed, with its phones. */
export interface Pressing {
  readonly phones: PhoneHome;
  readonly rows: Rows;
  readonly keyPath: string;
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
  /** Stores an event that raises an alert, and returns its id. */
  readonly raise: () => Promise<number>;
}

/** An alert with the texts of its buttons, in the order of `answerActions`. */
interface Alert {
  readonly event: number;
  readonly tokens: readonly string[];
  /** Presses a button of the message on ntfy. */
  readonly onNtfy: (button: number) => Promise<void>;
}

const [acknowledge, silence, dismiss] = [0, 1, 2];

/** Raises an alert and waits until Telegram and ntfy show it with buttons. */
async function alert({ phones: { telegram, ntfy }, raise }: Pressing): Promise<Alert> {
  const event = await raise();
  return await eventually(() => {
    const link = `/events/${event}`;
    const message = telegram.messages.find(({ texts }) => JSON.stringify(texts).includes(`${link}\\"`));
    const actions = ntfy.messages.find(({ click }) => click?.endsWith(link))?.actions;
    if (!message || message.buttons.length < 3 || !actions) throw new Error(`event ${event} has no buttons`);
    return {
      event,
      tokens: message.buttons.map(({ callback_data: data }) => data),
      onNtfy: async (button) => {
        const { url, body } = actions[button] ?? { url: "", body: "" };
        expect((await fetch(url, { method: "POST", body })).status).toBe(200);
      },
    };
  });
}

/** Returns the state of the alert of an event, how often it was changed, and how often each button had its effect. */
async function stateOf(rows: Rows, event: number) {
  return await lookAt(rows, async (sql) => {
    const [row] = await sql<[{ status: string; changes: number; answers: AnswerAction[] }]>`
      select a.status,
        (select count(*)::int from changes c where 'alerts/' || a.alert_id = any (c.subjects)) as changes,
        array(select w.action from answers w where w.alert_id = a.alert_id order by w.action) as answers
      from alerts a
      where a.event_id = ${event}
    `;
    return row;
  });
}

async function becomes(rows: Rows, event: number, state: Awaited<ReturnType<typeof stateOf>>): Promise<void> {
  await expect.poll(() => stateOf(rows, event), { timeout: 30_000 }).toEqual(state);
}

/** Presses a button in Telegram and returns the text that the person sees. */
async function pressed({ telegram }: PhoneHome, token: string): Promise<string> {
  const id = telegram.press(token);
  return await eventually(() => telegram.shown.find((each) => each.id === id)?.text ?? expect.unreachable());
}

/** Presses buttons twice while homesec is dead: one of them counts, and the others say whose. */
async function whileDead(home: Pressing): Promise<void> {
  const { event, tokens, onNtfy } = await alert(home);
  const { phones, rows } = home;
  await home.kill();
  const token = tokens[acknowledge] ?? "";
  const ids = [phones.telegram.press(token), phones.telegram.press(token)];
  for (let time = 0; time < 2; time += 1) await onNtfy(acknowledge as number);
  await home.start();
  await becomes(rows, event, { status: "acknowledged", changes: 1, answers: ["acknowledge"] });
  const texts = await eventually(() => ids.map((id) => phones.telegram.shown.find((each) => each.id === id)?.text ?? expect.unreachable()));
  expect(texts.filter((text) => text === "Acknowledged").length).toBeLessThan(2);
  for (const text of texts) expect(text).toMatch(/^(Acknowledged|Already acknowledged by .+)$/);
}

/** Kills homesec after a press was applied, before Telegram knows that it was read: it is not applied again, and a replay is refused. */
async function beforeConfirmed(home: Pressing): Promise<void> {
  const { event, tokens } = await alert(home);
  const { phones, rows } = home;
  const token = tokens[dismiss] ?? "";
  phones.alsoBreak("telegram", ({ path }) => (path.endsWith("/answerCallbackQuery") ? "hang" : undefined));
  phones.telegram.press(token);
  const once = { status: "dismissed", changes: 1, answers: ["dismiss"] as AnswerAction[] };
  await becomes(rows, event, once);
  await home.kill();
  phones.alsoBreak("telegram", undefined);
  await home.start();
  expect(await pressed(phones, token)).toMatch(/^Already dismissed by Anna on Telegram at /);
  const sealer = openSealer(home.keyPath);
  const read = readToken(token, sealer, new Date());
  if (read.kind === "forged") throw new Error("the button is not homesec's");
  const late = writeToken({ ...read.token, expiresAt: new Date(Date.now() - 1_000) }, sealer);
  expect(await pressed(phones, late)).toBe("This button worked for 24 hours. Open homesec instead");
  expect(await pressed(phones, `${token.slice(0, -2)}xx`)).toBe("homesec did not write this button");
  expect(await stateOf(rows, event)).toEqual(once);
}

/** Kills homesec when it has read a press on each service and cannot apply it yet: both are applied once after the start. */
async function beforeApplied(home: Pressing): Promise<void> {
  const { event, tokens, onNtfy } = await alert(home);
  const { phones, rows } = home;
  await lookAt(rows, async (sql) => {
    await sql`begin`;
    await sql`lock table answer_sources in access exclusive mode`;
    phones.telegram.press(tokens[acknowledge] ?? "");
    await onNtfy(silence as number);
    const waiting = async (): Promise<number> => {
      const [row] = await sql<[{ n: number }]>`
        select count(distinct l.pid)::int as n
        from pg_locks l
        where not l.granted and l.relation = 'answer_sources'::regclass
      `;
      return row.n;
    };
    await expect.poll(waiting, { timeout: 30_000 }).toBeGreaterThan(1);
    expect(await stateOf(rows, event)).toMatchObject({ answers: [] });
    await home.kill();
  }).catch((error: unknown) => {
    // The server may end with the daemon, and the lock with it
    if (!/connection|terminat|ended/i.test(String(error))) throw error;
  });
  await sleep(100);
  await home.start();
  await expect
    .poll(() => stateOf(rows, event), { timeout: 30_000 })
    .toMatchObject({ status: "acknowledged", answers: ["acknowledge", "silence"] });
  const silences = () =>
    lookAt(
      rows,
      async (sql) => (await sql<{ n: number }[]>`select count(*)::int as n from silences s where s.created_by = 'ntfy on ntfy'`)[0]?.n,
    );
  expect(await silences()).toBe(1);
}

/** Presses buttons at the worst moments. Returns the number of alerts that were answered. */
export async function pressButtons(home: Pressing): Promise<number> {
  await whileDead(home);
  await beforeConfirmed(home);
  await beforeApplied(home);
  return 3;
}
