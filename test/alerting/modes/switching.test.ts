import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { releaseHeldAlerts } from "../../../src/alerting/alerts/held-alerts.ts";
import { keepModes } from "../../../src/alerting/mode-switching/keeper.ts";
import { chooseMode } from "../../../src/alerting/mode-switching/switch.ts";
import { bringForwardModes } from "../../../src/alerting/modes/state-repository.ts";
import { emptyTables } from "../../support/empty-tables.ts";
import { type AlertDesk, openAlertDesk, withMail } from "../alerts/alert-desk.ts";

let desk: AlertDesk;
const noon = Date.parse("2026-03-02T12:00:00Z");
/** Sets the clock to this many seconds after noon. */
const at = (seconds: number): void => desk.at(new Date(noon + seconds * 1000));

beforeAll(async () => {
  desk = await openAlertDesk(withMail);
});
afterAll(() => desk.close());
beforeEach(async () => {
  await desk.empty();
  await desk.db.query((sql) => emptyTables(sql, "modes, mode_state, mode_switches, webhooks"));
  at(0);
});

const choose = (mode: string, by: string | null = "anna") =>
  desk.db.transaction((sql) => chooseMode(sql, { mode, by, source: "request", skipExitDelay: false }, desk.context.clock.now()));
const keep = () => keepModes(desk.db, desk.delivery, desk.context.clock.now());
const forAway = { modes: ["away", "night"], channels: ["email" as const] };
const failures = async () => (await desk.verdicts()).map(({ failed_conditions }) => failed_conditions);
const waiting = async () => {
  const [row] = await desk.db.query(
    (sql) => sql<[{ count: number }]>`select count(*) as count from notifications n where n.status = 'waiting'`,
  );
  return row.count;
};

describe("mode: switching", () => {
  it("a home that never switched is in mode home, and rules without modes alert", async () => {
    expect(await desk.ask("getMode", {})).toEqual({ mode: "home", since: null, set_by: null, source: null, pending: null });
    await desk.rule();
    await desk.rule(forAway);
    await desk.event();
    await desk.look();
    expect(await desk.alerts()).toHaveLength(1);
    expect(await failures()).toContainEqual(["the home was in mode home; the rule is for away, night"]);
  });

  it("away takes effect after its exit delay; what happened before counts for home", async () => {
    await desk.rule(forAway);
    const pending = await choose("away");
    expect(pending).toMatchObject({ mode: "home", pending: { mode: "away", set_by: "anna", effective_at: new Date(noon + 60_000) } });
    at(59);
    await desk.event();
    await desk.look();
    expect(await desk.alerts()).toEqual([]);
    at(61);
    // No daemon has stored yet that the delay is over
    await desk.event();
    await desk.look();
    expect(await desk.alerts()).toHaveLength(1);
    expect(await desk.ask("getMode", {})).toMatchObject({ mode: "away", since: "2026-03-02T12:01:00.000Z", set_by: "anna", pending: null });
    const { items } = await desk.ask("listModeSwitches", {});
    expect(items).toMatchObject([{ mode: "away", previous_mode: "home", requested_at: "2026-03-02T12:00:00.000Z", set_by: "anna" }]);
  });

  it("the entry delay holds messages back, and switching to home cancels them with the reason", async () => {
    await desk.rule({ ...forAway, digest: true });
    await choose("away");
    at(100);
    await keep();
    const eventId = await desk.event();
    await desk.look();
    const [held] = await desk.alerts();
    expect(held).toMatchObject({
      status: "pending",
      alert_metadata: { reason: "held back until 2026-03-02T12:02:10.000Z by the entry delay of away" },
    });
    expect(await waiting()).toBe(0);
    at(120);
    await keep();
    expect(await waiting()).toBe(0);
    await choose("home", "ben");
    at(200);
    await keep();
    const [alert] = await desk.alerts();
    expect(alert).toMatchObject({
      status: "dismissed",
      alert_metadata: { closed_by: "ben", reason: "ben switched to home within the entry delay of away" },
    });
    expect(await waiting()).toBe(0);
    const { outcome, steps } = await desk.ask("explainEvent", { params: { event_id: String(eventId) } });
    expect(outcome).toContain("is dismissed");
    const texts = steps.map(({ text }) => text);
    expect(texts.join("\n")).toContain("Ben switched to home within the entry delay of away.");
    expect(texts).toContain("The home was in mode away since 2026-03-02T12:01:00.000Z, set by anna.");

    // The cancelled alert suppresses no other one
    await choose("away");
    at(300);
    await desk.event();
    await desk.look();
    expect((await desk.alerts()).map(({ status }) => status)).toEqual(["dismissed", "pending"]);
  });

  it("after the entry delay the messages go out, once", async () => {
    await desk.rule(forAway);
    await desk.rule({ ...forAway, channels: null, name: "For the page" });
    await choose("away");
    at(100);
    await keep();
    await desk.event();
    await desk.look();
    at(129);
    expect(await keep()).toEqual(new Date(noon + 130_000));
    expect(await waiting()).toBe(0);
    at(130);
    await keep();
    await keep();
    await releaseHeldAlerts(desk.db, desk.delivery, desk.context.clock.now(), 10);
    expect(await waiting()).toBe(1);
    const states = (await desk.alerts()).map(({ status, alert_metadata: { reason, rule_name } }) => [rule_name, status, reason]);
    expect(states).toEqual(
      expect.arrayContaining([
        ["A rule", "pending", null],
        ["For the page", "delivered", null],
      ]),
    );
    await choose("home");
    expect((await desk.alerts()).map(({ status }) => status).toSorted()).toEqual(["delivered", "pending"]);
  });

  it("alerts of rules that also alert in the new mode, and of rules without modes, are not cancelled", async () => {
    await desk.rule(forAway);
    await desk.rule({ name: "Always", channels: ["email"] });
    await choose("away");
    at(100);
    await keep();
    await desk.event();
    await desk.look();
    expect(await waiting()).toBe(1);
    await choose("night");
    at(200);
    await keep();
    // Both alerts are about one event: one mail names them
    expect(await waiting()).toBe(2);
  });

  it("someone who switched to home before the event was evaluated gets no alert", async () => {
    await desk.rule(forAway);
    await choose("away");
    at(100);
    await keep();
    await desk.event();
    at(110);
    await choose("home", "ben");
    at(115);
    await desk.look();
    expect(await desk.alerts()).toEqual([]);
    expect(await failures()).toEqual([["the home was in mode home (set by ben); the rule is for away, night"]]);
  });

  it("in mode off only rules that name it alert", async () => {
    await desk.rule({ name: "Any" });
    await desk.rule({ name: "Even off", modes: ["off"] });
    await choose("off", null);
    await desk.event();
    await desk.look();
    expect((await desk.alerts()).map(({ alert_metadata }) => alert_metadata.rule_name)).toEqual(["Even off"]);
    expect(await failures()).toContainEqual(["the home was in mode off; only rules that name it alert in it"]);
  });
});

describe("mode: schedules and the clock", () => {
  const nightly = { days: [], start_time: "23:00", end_time: "06:00", timezone: "UTC" };

  it("a schedule switches to its mode and back, and says so", async () => {
    await desk.ask("updateMode", { params: { name: "night" }, body: { schedule: nightly } });
    desk.at(new Date("2026-03-02T22:59:59Z"));
    await keep();
    expect(await desk.ask("getMode", {})).toMatchObject({ mode: "home" });
    desk.at(new Date("2026-03-02T23:00:00Z"));
    await Promise.all([keep(), keep(), keep()]);
    expect(await desk.ask("getMode", {})).toMatchObject({ mode: "night", source: "schedule", set_by: null });
    await desk.rule({ modes: ["home"] });
    await desk.event();
    await desk.look();
    expect(await failures()).toEqual([["the home was in mode night (set by the schedule); the rule is for home"]]);
    desk.at(new Date("2026-03-03T06:00:01Z"));
    await keep();
    const { items } = await desk.ask("listModeSwitches", {});
    expect(items.map(({ mode, source }) => [mode, source])).toEqual([
      ["home", "schedule"],
      ["night", "schedule"],
    ]);
  });

  it("a clock that was set back does not delay a pending switch, and does not hide the current mode", async () => {
    await desk.rule({ modes: ["night"] });
    at(86_400);
    await choose("night");
    await choose("away");
    at(0);
    await desk.db.transaction((sql) => bringForwardModes(sql, desk.context.clock.now()));
    await desk.event();
    await desk.look();
    expect(await desk.alerts()).toHaveLength(1);
    at(60);
    await keep();
    expect(await desk.ask("getMode", {})).toMatchObject({ mode: "away", since: "2026-03-02T12:01:00.000Z" });
  });

  it("every switch is announced to live clients", async () => {
    await choose("away");
    at(60);
    await keep();
    const rows = await desk.journal("mode.changed");
    expect(rows.map(({ mode, pending }) => [mode, pending !== null])).toEqual([
      ["home", true],
      ["away", false],
    ]);
  });
});

describe("mode: definitions", () => {
  it("modes can be added, named by rules, and deleted when no one needs them", async () => {
    await desk.ask("createMode", { body: { name: "holiday", exit_delay_seconds: 5 } });
    const { modes } = await desk.ask("listModes", {});
    expect(modes.map(({ name }) => name)).toEqual(["home", "away", "night", "off", "holiday"]);
    const rule = await desk.ask("createRule", { body: { name: "Away or on holiday", modes: ["away", "holiday"] } });
    await expect(desk.ask("deleteMode", { params: { name: "holiday" } })).rejects.toThrow("These rules name the mode holiday");
    await desk.ask("updateRule", { params: { id: rule.id }, body: { modes: [] } });
    await choose("holiday");
    await expect(desk.ask("deleteMode", { params: { name: "holiday" } })).rejects.toThrow("The home is in mode holiday");
    await choose("home");
    await desk.ask("deleteMode", { params: { name: "holiday" } });
    await expect(choose("holiday")).rejects.toThrow("holiday");
  });

  it("built-in modes stay, home has no schedule, and a rule cannot name an unknown mode", async () => {
    await expect(desk.ask("deleteMode", { params: { name: "night" } })).rejects.toThrow("is built in");
    await expect(desk.ask("createMode", { body: { name: "away" } })).rejects.toThrow("There is a mode away already");
    const schedule = { days: [], start_time: "23:00", end_time: "06:00", timezone: "UTC" };
    await expect(desk.ask("updateMode", { params: { name: "home" }, body: { schedule } })).rejects.toThrow("has no schedule");
    await expect(desk.ask("createRule", { body: { name: "Typo", modes: ["awya"] } })).rejects.toThrow(
      "There is no mode awya; the modes are home, away, night, off",
    );
  });

  it("a backtest uses the modes as they were, or assumes one", async () => {
    const rule = await desk.ask("createRule", { body: { name: "Away", modes: ["away"], cooldown_seconds: 0 } });
    await desk.event();
    await choose("away");
    at(100);
    await keep();
    await desk.event();
    at(200);
    const test = async (mode?: string) =>
      (await desk.ask("backtestRule", { params: { id: rule.id }, body: { mode } })).tested.alerts_after_cooldown;
    expect(await test()).toBe(1);
    expect(await test("away")).toBe(2);
    expect(await test("night")).toBe(0);
    const draft = await desk.ask("backtestDefinition", { body: { definition: { name: "Draft", modes: ["away"] } } });
    expect(draft.near_misses.fields).toEqual([{ field: "modes", count: 1 }]);
  });
});
