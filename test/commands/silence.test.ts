import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { silenceView } from "../../commands/silence/view.ts";
import { Silence } from "../../src/contract/routes/silences.ts";
import { type ServedDesk, serveDesk, ways } from "../support/served-desk.ts";

let served: ServedDesk;
beforeAll(async () => {
  served = await serveDesk();
});
afterAll(() => served.close());
beforeEach(async () => {
  served.desk.at("2026-03-01T12:00:00Z");
  await served.desk.db.query(async (sql) => {
    await sql`delete from silences`;
    await sql`insert into cameras (camera_id, name, folder_path) values ('front-door', 'Front door', '/a'), ('yard', 'Yard', '/b') on conflict do nothing`;
  });
});

const silence = (body: object = {}) =>
  served.desk.ask("createSilence", { body: { camera_id: "front-door", duration_seconds: 7_200, reason: "Painters", ...body } });

describe.each(ways)("silences, %s", (way) => {
  const homesec = (...args: string[]) => served.homesec(way, args);

  it("silence: add prints scope, end and reason, and accepts a rule and a time", async () => {
    const { name } = await served.desk.ask("createRule", { body: { name: `Night, ${way}`, severity: "high" } });
    const added = await homesec(
      "silence",
      "add",
      "--camera",
      "front-door",
      "--rule",
      name,
      "--until",
      "2026-03-02T06:00:00Z",
      "--reason",
      "A party",
    );
    expect(added.code).toBe(0);
    expect(added.err).toMatch(/^silence [0-9a-f-]{36} started; end it early with `homesec silence end /);
    expect(added.out).toMatch(
      /^silence +[0-9a-f-]{36}\nstatus +active\nscope +Front door, rule "Night, .*"\nreason +A party\nsince .*\nuntil +.*\(in 18 h\)\nmuted +0 alerts\n$/,
    );
    const all = await homesec("silence", "add", "--all", "--for", "15m", "--reason", "Sofa", "-o", "json");
    expect(JSON.parse(all.out)).toMatchObject({ camera_id: null, rule_id: null, status: "active", ends_at: "2026-03-01T12:15:00.000Z" });
  });

  it("silence: list, show and end work in every format", async () => {
    const first = await silence();
    served.desk.at("2026-03-01T12:30:00Z");
    const second = await silence({ camera_id: "yard", reason: "Dogs" });
    const list = (await homesec("silence", "list")).out.split("\n");
    expect(list[0]).toMatch(/^ID +STATUS +SCOPE +SINCE +UNTIL +MUTED +REASON$/);
    expect(list[1]).toMatch(new RegExp(`^${second.id} +active +Yard +just now +2026-03-01 .* 0 +Dogs$`));
    expect(list[2]).toMatch(new RegExp(`^${first.id} +active +Front door +30 min ago .* 0 +Painters$`));
    expect((await homesec("silence", "end", first.id, "-o", "id")).out).toBe(`${first.id}\n`);
    expect((await homesec("silence", "list", "--status", "active", "-o", "id")).out).toBe(`${second.id}\n`);
    expect((await homesec("silence", "list", "--status", "ended", "-o", "csv")).out.split(/\r?\n/)[0]).toBe(
      (await silenceView.fields()).join(","),
    );
    const { items, pagination } = JSON.parse((await homesec("silence", "list", "-o", "json")).out);
    expect([items.length, pagination.total]).toEqual([2, 2]);
    expect((await homesec("silence", "show", first.id)).out).toMatch(/status +ended\n(.*\n)*ended +.*\(just now\)\nmuted +0 alerts\n/);
    expect((await homesec("silence", "show", second.id, "-o", "yaml")).out).toContain("reason: Dogs\n");
    expect(await homesec("silence", "end", first.id)).toMatchObject({ code: 5, err: expect.stringContaining("ended at 2026-03-01") });
  });

  it("silence: alerts, rules and the camera mention an active silence", async () => {
    const note = (err: string) => err.split("\n").filter((line) => line.startsWith("muted: "));
    expect(note((await homesec("alerts", "list")).err)).toEqual([]);
    const { id } = await silence();
    const line = expect.stringMatching(
      new RegExp(`^muted: Front door until .* \\(2 h more\\): Painters; 0 alerts muted so far \\(silence ${id}\\)$`),
    );
    expect(note((await homesec("alerts", "list")).err)).toEqual([line]);
    expect(note((await homesec("alerts", "list", "--camera-id", "front-door", "-o", "json")).err)).toEqual([line]);
    expect(note((await homesec("alerts", "list", "--camera-id", "yard")).err)).toEqual([]);
    expect(note((await homesec("rules", "list")).err)).toEqual([line]);
    expect((await homesec("rules", "list", "--quiet")).err).toBe("");
    expect((await homesec("cameras", "show", "front-door")).out).toMatch(/\nmuted +Front door until .*Painters/);
    expect(JSON.parse((await homesec("cameras", "show", "front-door", "-o", "json")).out)).not.toHaveProperty("silenced");
    expect((await homesec("cameras", "show", "yard")).out).not.toContain("muted");
    served.desk.at("2026-03-01T14:00:00Z");
    expect(note((await homesec("alerts", "list")).err)).toEqual([]);
  });

  it("silence: add needs a reason, an end and an existing camera or rule", async () => {
    const refusals = [
      [["--camera", "yard", "--for", "2h"], 2, "--reason"],
      [["--camera", "yard", "--for", "2h", "--reason", " "], 2, "--reason"],
      [["--camera", "yard", "--reason", "x"], 2, "--until"],
      [["--for", "2h", "--reason", "x"], 2, "--all"],
      [["--all", "--camera", "yard", "--for", "2h", "--reason", "x"], 2, "--all"],
      [["--all", "--for", "31d", "--reason", "x"], 2, "--for"],
      [["--all", "--for", "2h", "--until", "2026-03-02", "--reason", "x"], 2, "--until"],
      [["--all", "--until", "2026-02-28", "--reason", "x"], 2, "in the future"],
      [["--all", "--until", "2027-02-28", "--reason", "x"], 2, "30 days"],
      [["--camera", "nowhere", "--for", "2h", "--reason", "x"], 3, "Camera nowhere does not exist"],
      [["--rule", "Nobody", "--for", "2h", "--reason", "x"], 3, "Nobody"],
    ] as const;
    for (const [args, code, word] of refusals) {
      expect([args, await homesec("silence", "add", ...args)]).toEqual([args, { code, out: "", err: expect.stringContaining(word) }]);
    }
    expect((await homesec("silence", "list")).err).toBe("no silences\n");
  });

  it("silence: a past end is rejected in local time, with a suggestion", async () => {
    served.desk.at(new Date(2026, 2, 1, 21, 30).toISOString());
    const refusal = async (until: string) => (await homesec("silence", "add", "--all", "--reason", "x", "--until", until)).err;
    expect(await refusal("06:00")).toBe("homesec: --until \"06:00\" must be in the future; 06:00 is over today, use 'tomorrow 06:00'\n");
    expect(await refusal("yesterday 06:00")).toBe(
      "homesec: --until \"yesterday 06:00\" must be in the future (it is 2026-03-01 21:30:00 now), such as 'tomorrow 06:00'\n",
    );
    expect(await refusal("at six")).toContain("'tomorrow 06:00'");
  });
});

it("silence: CSV has every field of the contract", async () => {
  expect(await silenceView.fields()).toEqual(Object.keys(Silence.shape));
});
