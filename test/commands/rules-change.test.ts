import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { parseSchedule } from "../../commands/rules/schedule-text.ts";
import { ruleView } from "../../commands/rules/view.ts";
import { describeSchedule } from "../../src/alerting/rules/schedule.ts";
import { weekdays } from "../../src/base/clock/calendar.ts";
import { Rule } from "../../src/contract/routes/rules.ts";
import type { CliOptions } from "../support/cli.ts";
import { emptyTables } from "../support/empty-tables.ts";
import { type ServedDesk, serveDesk, ways } from "../support/served-desk.ts";

let served: ServedDesk;
beforeAll(async () => {
  served = await serveDesk();
  await served.desk.db.query((sql) => sql`insert into cameras (camera_id, name, folder_path) values ('yard', 'Yard', '/b')`);
});
afterAll(() => served.close());
beforeEach(async () => {
  await served.desk.db.query((sql) => emptyTables(sql, "rules, camera_zones"));
});

/** The last note of `rules add` where no channel is configured, as here. */
const hint = "No mail, chat or phone gets your alerts yet. To get the first one: homesec setup\n";
const nightly = ["--name", "Person at night", "--severity", "high", "--object-types", "person", "--channels", "email"];

describe.each(ways)("rules, %s", (way) => {
  const homesec = (args: readonly string[], options: CliOptions = {}) => served.homesec(way, ["rules", ...args], options);
  const file = async (content: string): Promise<string> => {
    await writeFile(join(served.desk.dataDir, "rules.yaml"), content);
    return "rules.yaml";
  };

  it("rules: one command limits an alert for every car in the street to the driveway", async () => {
    await homesec(["add", "--name", "Every car", "--object-types", "car"]);
    const corners = ["0.1,0.4", "0.5,0.4", "0.6,1", "0,1"];
    const draw = (zone: string) => served.homesec(way, ["cameras", "zones", "add", "yard", zone, ...corners, "--rule", "Every car"]);
    const { code, err } = await draw("driveway");
    expect([code, err]).toEqual([
      0,
      "zone driveway of camera yard saved\nrule Every car now alerts only at cameras with a zone driveway, and only about what is in it\n",
    ]);
    // the same zone in other letters is no second one
    await draw("Driveway");
    expect((await homesec(["show", "Every car"])).out).toMatch(/conditions +car, in driveway\n/);
  });

  it("rules: a rule of other cameras is not limited to a zone of this one, and no zone is saved", async () => {
    await homesec(["add", "--name", "Porch only", "--cameras", "porch", "--force"]);
    const draw = await served.homesec(way, ["cameras", "zones", "add", "yard", "nowhere", "0,0", "1,0", "1,1", "--rule", "Porch only"]);
    expect(draw).toMatchObject({ code: 2, err: expect.stringContaining("rule Porch only does not apply to camera yard") });
    expect((await served.homesec(way, ["cameras", "zones", "list", "yard"])).out).not.toContain("nowhere");
  });

  it("rules: add has a flag for each field", async () => {
    const flags = ["--schedule", "mon-fri 22:00-06:00 Europe/Berlin", "--cooldown", "5m", "--cameras", "yard", "--min-confidence", "0.6"];
    const added = await homesec(["add", ...nightly, ...flags, "--escalate", "--no-enabled", "-o", "json"]);
    expect(added).toMatchObject({ code: 0, err: hint });
    expect(JSON.parse(added.out)).toMatchObject({
      name: "Person at night",
      enabled: false,
      severity: "high",
      object_types: ["person"],
      camera_ids: ["yard"],
      min_confidence: 0.6,
      schedule: {
        days: ["monday", "tuesday", "wednesday", "thursday", "friday"],
        start_time: "22:00",
        end_time: "06:00",
        timezone: "Europe/Berlin",
      },
      cooldown_seconds: 300,
      channels: ["email"],
      escalate: true,
    });
    expect((await homesec(["show", "Person at night"])).out).toMatch(
      /conditions +person, confidence >= 0.6, at yard, mon-fri 22:00-06:00 Europe\/Berlin\n/,
    );
  });

  it("rules: add and update note a zone that does not follow the local clock, with the one that was meant", async () => {
    const note =
      "schedule of Night: EST is 5 hours behind UTC all year, without daylight saving time; if you mean the local clock, write America/New_York\n";
    expect(await homesec(["add", "--name", "Night", "--schedule", "22:00-06:00 EST"])).toMatchObject({ code: 0, err: `${note}${hint}` });
    expect((await homesec(["update", "Night", "--schedule", "22:00-06:00 America/New_York"])).err).not.toContain("EST");
    expect((await homesec(["update", "Night", "--schedule", "22:00-05:00 EST"])).err).toContain(note);
  });

  it.each([
    [["--severity", "high"], "needs a --name"],
    [["--name", "x", "--severity", "loud"], "--severity"],
    [["--name", "x", "--risk-threshold", "101"], "from 0 to 100"],
    [["--name", "x", "--schedule", "sometimes 25"], "a schedule of days"],
    [["--name", "x", "--schedule", "22:00-06:00 Mars/Rover"], "time zone"],
    [["--name", "x", "--cooldown", "soon"], "such as 90s"],
    [["--name", "x", "-f", "rules.yaml"], "excludes other rule flags"],
    [[], "give --name"],
  ])("rules: add rejects %j", async (args, reason) => {
    const { code, out, err } = await homesec(["add", ...args]);
    expect([code, out, err]).toEqual([2, "", expect.stringContaining(reason)]);
    expect((await homesec(["list"])).err).toBe("no rules\n");
  });

  it("rules: add reads one or several rules from files and from standard input", async () => {
    const two = await file(
      `- name: One\n  schedule: sat,sun\n  cooldown: 1h\n- {"name": "Two", "cameras": ["yard"], "risk_threshold": 50}\n`,
    );
    const added = await homesec(["add", "-f", two, "-o", "json"]);
    expect(JSON.parse(added.out)).toMatchObject([
      { name: "One", schedule: { days: ["saturday", "sunday"], start_time: null }, cooldown_seconds: 3600 },
      { name: "Two", camera_ids: ["yard"], risk_threshold: 50 },
    ]);
    const seconds = await homesec(["add", "-f", await file(`- name: A\n  cooldown: 300\n- name: B\n  cooldown: "90"\n`), "-o", "json"]);
    expect(JSON.parse(seconds.out)).toMatchObject([{ cooldown_seconds: 300 }, { cooldown_seconds: 90 }]);
    for (const name of ["A", "B"]) await homesec(["remove", name, "--yes"]);
    const piped = await homesec(["add", "--file", "-"], { input: '{"name": "Three"}' });
    expect(piped.out).toMatch(/name +Three\n/);
    // the listed rules can be added elsewhere
    const { out: listed } = await homesec(["list", "-o", "yaml"]);
    await served.desk.db.query((sql) => emptyTables(sql, "rules"));
    const again = await homesec(["add", "-f", await file(listed), "--fields", "name", "-o", "csv"]);
    expect(again.out.trimEnd().split("\r\n").toSorted()).toEqual(["One", "Three", "Two", "name"]);
  });

  it("rules: add gives no hint while a webhook gets alerts, and still names a channel that cannot be used", async () => {
    const target = ["http://127.0.0.1:1/x", "--event-types", "alert_fired", "-o", "id"];
    const { out: id } = await served.homesec(way, ["webhooks", "add", "chat", ...target]);
    expect(await homesec(["add", "--name", "One"])).toMatchObject({ code: 0, err: "" });
    const unusable = "Nothing goes to email without a mail server. To set one up: homesec setup, or SMTP_HOST and SMTP_FROM_ADDRESS\n";
    expect(await homesec(["add", ...nightly])).toMatchObject({ code: 0, err: unusable });
    const anna = await served.homesec(way, ["recipients", "add", "Anna", "--channels", "anna@example.org"]);
    const toAnna = unusable.replace("email", "anna@example.org");
    expect(anna).toMatchObject({ code: 0, err: expect.stringContaining(toAnna) });
    expect(await homesec(["update", "Person at night", "--channels", "anna"])).toMatchObject({
      code: 0,
      err: expect.stringContaining(toAnna),
    });
    expect(await served.homesec(way, ["recipients", "update", "Anna", "--severity", "high"])).toMatchObject({
      err: "recipient Anna changed\n",
    });
    expect(await homesec(["remove", "Person at night", "--yes"])).toMatchObject({ code: 0 });
    expect(await served.homesec(way, ["recipients", "remove", "Anna", "--yes"])).toMatchObject({ code: 0 });
    expect(await served.homesec(way, ["webhooks", "remove", id.trim(), "--yes"])).toMatchObject({ code: 0 });
  });

  it("rules: add notes a duplicate name", async () => {
    await homesec(["add", "--name", "One", "-o", "id"]);
    const again = await homesec(["add", "--name", "One", "-o", "id"]);
    expect(again).toMatchObject({ code: 0, err: `2 rules are named "One"; use their ids in commands (\`homesec rules list\`)\n${hint}` });
  });

  it("rules: a camera that does not exist is refused in a script, and --force saves the rule", async () => {
    const typo = ["--cameras", "yrad,yard"];
    expect(await homesec(["add", "--name", "One", ...typo])).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining("camera yrad does not exist; did you mean yard?; nothing was saved (--force saves it anyway)"),
    });
    expect((await homesec(["list"])).err).toBe("no rules\n");
    const forced = await homesec(["add", "--name", "One", ...typo, "--force", "-o", "id"]);
    expect(forced).toMatchObject({ code: 0, err: `camera yrad does not exist; did you mean yard?\n${hint}` });
    const update = (...flags: string[]) => homesec(["update", "One", ...flags]);
    expect(await update("--cameras", "garage-door")).toMatchObject({
      code: 2,
      err: expect.stringContaining("camera garage-door does not exist; `homesec cameras list` lists all cameras"),
    });
    expect((await update("--cameras", "yard")).err).toBe("rule One changed\n");
    const two = await file("- name: Two\n- name: Three\n  cameras: [yrad]\n");
    expect(await homesec(["add", "-f", two])).toMatchObject({ code: 2, err: expect.stringContaining("camera yrad does not exist") });
    expect((await homesec(["list", "--fields", "name", "-o", "csv"])).out).toBe("name\r\nOne\r\n");
  });

  it.each([
    ["y", 0, "One"],
    ["n", 2, ""],
  ])("rules: on a terminal, a camera that does not exist is asked about, and the answer %s counts", async (answer, code, saved) => {
    const asked = await homesec(["add", "--name", "One", "--cameras", "yrad"], { terminal: 100, input: `${answer}\n` });
    expect(asked.code, asked.err).toBe(code);
    expect(asked.err).toContain("camera yrad does not exist; did you mean yard?\nSave it anyway? [y/N] ");
    expect((await homesec(["list", "-o", "csv", "--fields", "name"])).out).toBe(`name\r\n${saved && `${saved}\r\n`}`);
  });

  it.each([
    [["--object-types", "persn"], "did you mean person?"],
    [["--object-types", "people"], "did you mean person?"],
    [["--object-types", "car,dragon"], "one of person, car, truck"],
    [["--channels", "push"], "the channel push sends nothing yet; add a channel to phones"],
    [["--channels", "emial"], "There is no channel emial; did you mean email?"],
    [["--channels", "webhook"], "the channel webhook needs DEFAULT_WEBHOOK_URL"],
  ])("rules: add and update refuse a value that never has an effect: %j", async (flags, reason) => {
    await homesec(["add", "--name", "Good"]);
    for (const args of [
      ["add", "--name", "One", ...flags],
      ["update", "Good", ...flags],
    ]) {
      expect(await homesec(args)).toMatchObject({ code: 2, out: "", err: expect.stringContaining(reason) });
    }
    expect((await homesec(["list", "--fields", "name,version", "-o", "csv"])).out).toBe("name,version\r\nGood,1\r\n");
  });

  it("rules: a file with a value that never has an effect is refused, and a known class is accepted in any case", async () => {
    for (const [content, reason] of [
      ["name: One\nobject_types: [persn]", "no detector reports persn; did you mean person?"],
      ["name: One\nchannels: [push]", "the channel push sends nothing yet"],
    ] as const) {
      expect(await homesec(["add", "-f", await file(content)])).toMatchObject({ code: 2, err: expect.stringContaining(reason) });
    }
    expect(await homesec(["add", "-f", await file("name: One\nobject_types: [Person]")])).toMatchObject({ code: 0 });
  });

  it("rules: add reports every error of a file and adds no rule from it", async () => {
    const bad = await file("- name: One\n- name: Two\n  risk_threshold: 101\n- nam: Three\n");
    const { code, err } = await homesec(["add", "-f", bad]);
    expect(code).toBe(2);
    expect(err).toContain("rule 2: risk_threshold: ");
    expect(err).toContain("rule 3: ");
    expect((await homesec(["list"])).err).toBe("no rules\n");
    for (const [content, reason] of [
      ["a: [", "neither YAML nor JSON"],
      ["[]", "no rule"],
      ["just words", "must have fields"],
      ["name: One\ncooldown: 1.5", "a duration such as 5m, or whole seconds"],
      ["name: One\ncooldown: -300", "a duration such as 5m, or whole seconds"],
      ["name: One\ncooldown: 99999999", "cooldown_seconds: "],
    ] as const) {
      expect(await homesec(["add", "-f", await file(content)])).toMatchObject({ code: 2, err: expect.stringContaining(reason) });
    }
    expect(await homesec(["add", "-f", "nowhere.yaml"])).toMatchObject({ code: 2, err: expect.stringContaining("it does not exist") });
    expect(await homesec(["add", "-f", "-"])).toMatchObject({ code: 2, err: expect.stringContaining("stdin is empty") });
  });

  it("rules: add asks step by step on a terminal, and repeats a question after an invalid answer", async () => {
    const input = [
      "",
      "Somebody",
      "grave",
      "high",
      "",
      "persn",
      "person",
      "",
      "22:00-06:00 UTC",
      "away, night",
      "",
      "",
      "maybe",
      "y",
      "",
    ].join("\n");
    const { code, out, err } = await homesec(["add", "-o", "json"], { terminal: 100, input });
    expect(code, err).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      name: "Somebody",
      severity: "high",
      risk_threshold: null,
      object_types: ["person"],
      camera_ids: null,
      schedule: { days: [], start_time: "22:00", end_time: "06:00", timezone: "UTC" },
      modes: ["away", "night"],
      cooldown_seconds: 300,
      channels: null,
      immediate: true,
    });
    expect(err).toContain("It must be y or n.\n");
    expect(err).toContain("Name of the rule? A rule needs a name.\nName of the rule? ");
    expect(err).toContain("It must be one of low, medium, high, critical.\n");
    expect(err).toMatch(/did you mean\s+person\?/);
    expect(err).toContain("Cameras, separated by commas? (yard) [all] ");
    expect(await homesec(["add"], { terminal: 100, input: "Half\nhigh\n" })).toMatchObject({
      code: 2,
      err: expect.stringContaining("nothing was changed"),
    });
  });

  it("rules: enable, disable and remove change the rule", async () => {
    await homesec(["add", ...nightly]);
    expect((await homesec(["disable", "Person at night"])).out).toMatch(/state +off\n/);
    expect(JSON.parse((await homesec(["enable", "Person at night", "-o", "json"])).out)).toMatchObject({ enabled: true });
    expect((await homesec(["enable", "Nobody"])).code).toBe(3);
    expect(await homesec(["remove", "Person at night"])).toMatchObject({ code: 2, err: expect.stringContaining("--yes") });
    expect(await homesec(["remove", "Person at night", "--yes"])).toEqual({ code: 0, out: "", err: "rule Person at night removed\n" });
    expect((await homesec(["remove", "Person at night", "--yes"])).code).toBe(3);
  });

  describe("rules edit", () => {
    const edit = async (script: string, options: CliOptions = {}) => {
      const editor = join(served.desk.dataDir, "editor.sh");
      await writeFile(editor, `#!/bin/sh\n${script}\n`);
      await chmod(editor, 0o700);
      return await homesec(["edit", "Person at night", "-o", "json"], { ...options, env: { EDITOR: editor, PATH: process.env["PATH"] } });
    };

    it("rules edit: stores changes, and does nothing without a change", async () => {
      await homesec(["add", ...nightly]);
      expect(await edit("true")).toEqual({ code: 0, out: "", err: "nothing was changed\n" });
      const changed = await edit(`sed -i -e 's/^severity: .*/severity: low/' -e 's/^schedule: .*/schedule: sat 10:00-12:00 UTC/' "$1"`);
      expect(changed.code, changed.err).toBe(0);
      expect(JSON.parse(changed.out)).toMatchObject({
        name: "Person at night",
        severity: "low",
        object_types: ["person"],
        schedule: { days: ["saturday"], start_time: "10:00", end_time: "12:00", timezone: "UTC" },
        version: 2,
      });
    });

    it("rules edit: reopens the editor after a mistake and keeps the text", async () => {
      await homesec(["add", ...nightly]);
      const wrong = await edit(`sed -i 's/^severity: .*/severity: loud/' "$1"`);
      expect(wrong).toMatchObject({ code: 2, err: expect.stringMatching(/severity: .* is saved in \/.*rule\.yaml/) });
      const again = `if grep -q loud "$1"; then sed -i 's/loud/critical/' "$1"; else sed -i 's/^severity: .*/severity: loud/' "$1"; fi`;
      const right = await edit(again, { terminal: 100, input: "y\n" });
      expect(JSON.parse(right.out)).toMatchObject({ severity: "critical" });
      expect(right.err).toContain("Edit it again? [Y/n] ");
      expect(await edit("exit 3")).toMatchObject({ code: 2, err: expect.stringContaining("failed (3)") });
    });
  });

  it("rules: show -o yaml prints the stored rule", async () => {
    await homesec(["add", ...nightly]);
    const [yaml, json] = [
      await homesec(["show", "Person at night", "-o", "yaml"]),
      await homesec(["show", "Person at night", "-o", "json"]),
    ];
    expect(parse(yaml.out)).toEqual(JSON.parse(json.out));
  });
});

describe("schedule as text", () => {
  it("schedule as text: is parsed as documented", () => {
    const time = fc.tuple(fc.nat(23), fc.nat(59)).map((parts) => parts.map((part) => String(part).padStart(2, "0")).join(":"));
    const times = fc.option(fc.tuple(time, time)).map((pair) => ({ start_time: pair?.[0] ?? null, end_time: pair?.[1] ?? null }));
    const zone = fc.constantFrom("UTC", "Europe/Berlin", "America/Port-au-Prince", "Etc/GMT+5");
    fc.assert(
      fc.property(fc.subarray([...weekdays], { maxLength: 6 }), times, zone, (days, { start_time, end_time }, timezone) => {
        const schedule = { days, start_time, end_time, timezone };
        expect(parseSchedule(describeSchedule(schedule), "Mars")).toEqual(schedule);
      }),
    );
  });

  it.each([
    ["fri-mon", { days: ["monday", "friday", "saturday", "sunday"] }],
    ["Saturday,sun 9:00-17:30", { days: ["saturday", "sunday"], start_time: "09:00", end_time: "17:30" }],
    ["daily 22:00-06:00", { days: [], start_time: "22:00", end_time: "06:00", timezone: "Here" }],
    ["Europe/Paris", { days: [], start_time: null, timezone: "Europe/Paris" }],
  ])("schedule as text: %s", (text, expected) => {
    expect(parseSchedule(text, "Here")).toMatchObject(expected);
  });

  it.each(["", "mon-tue-wed", "monkey", "22:00", "mon 22:00-06:00 UTC now", "mon,,tue", "22.00-06.00", "-"])(
    "schedule as text: %j is invalid",
    (text) => {
      expect(parseSchedule(text, "UTC")).toBeUndefined();
    },
  );
});

it("rules: CSV has every field of a rule", async () => {
  expect(await ruleView.fields()).toEqual(Object.keys(Rule.shape));
});
