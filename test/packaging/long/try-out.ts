import { chmodSync, chownSync, copyFileSync, cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { freePort } from "../../support/free-port.ts";
import { Tmux, tmuxInstalled } from "../../support/tmux.ts";
import { manifest, root } from "../project.ts";
import { expectPages } from "./page.ts";
import { type Person, Shell, until } from "./shell.ts";

export interface TryOut {
  readonly person: Person;
  /** The executable. */
  readonly program: string;
  /** Folder for all files of this run. */
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Home and camera folders are read-only. */
  readonly readOnly?: true;
}

/** The first steps of a new user: version, demo, start, web page, a picture, events, doctor, setup. */
export async function tryOut({ person, program, folder, env = {}, readOnly }: TryOut): Promise<void> {
  const [home, elsewhere, cameras, data] = ["home", "elsewhere", "cameras", "data"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const path of [home, elsewhere, cameras]) mkdirSync(path, { recursive: true });
  cpSync(join(root, "demo/pictures/walkway-0060.jpg"), join(elsewhere, "visitor.jpg"));
  if (person.ids)
    for (const path of [folder, home, elsewhere, ...(readOnly ? [] : [cameras])]) chownSync(path, person.ids.uid, person.ids.gid);
  if (readOnly) {
    mkdirSync(join(cameras, "yard"));
    copyFileSync(join(elsewhere, "visitor.jpg"), join(cameras, "yard/a.jpg"));
    chownSync(home, 0, 0);
    for (const path of [cameras, home]) chmodSync(path, 0o555);
  }
  const port = await freePort();
  const own = { ...env, PATH: process.env["PATH"] ?? "", HOME: home, PORT: String(port), BATCH_IDLE_TIMEOUT_SECONDS: "2" };
  const shell = new Shell({ person, cwd: elsewhere, env: own });
  const homesec = (args: readonly string[], more: Readonly<Record<string, string>> = {}) => shell.run(program, args, more);

  expect(await homesec(["--version"])).toEqual({ code: 0, out: `${manifest.version}\n`, err: "" });
  expect((await homesec(["--help"])).out).toContain("homesec serve");
  for (const name of ["bash", "zsh", "fish"]) expect((await homesec(["completion", name])).out).toContain("homesec");
  if (!readOnly) {
    const demo = await homesec(["demo", "--once"], { DATA_DIR: join(folder, "demo") });
    expect([demo.code, demo.out]).toEqual([0, expect.stringMatching(/event scored +event 1: risk \d+ of 100/)]);
  }

  const set = { DATA_DIR: data, CAMERA_ROOT: cameras };
  const daemon = shell.start(program, ["serve"], set);
  try {
    expect((await homesec(["health", "--wait", "90s"], set)).err, daemon.said()).toContain(", ready");
    // A built-in service may still be starting
    await until(async () => (await homesec(["health"], set)).code === 0, "health");
    await expectPages(shell, `http://127.0.0.1:${port}`);
    if (!readOnly) {
      mkdirSync(join(cameras, "yard"));
      copyFileSync(join(elsewhere, "visitor.jpg"), join(cameras, "yard/a.jpg"));
      if (person.ids) chownSync(join(cameras, "yard"), person.ids.uid, person.ids.gid);
      await until(async () => (await homesec(["cameras", "show", "yard"], set)).code === 0, "camera");
      const trigger = await homesec(["trigger", "visitor.jpg", "--camera", "yard", "-o", "json"], set);
      expect(JSON.parse(trigger.out), trigger.err).toMatchObject({ status: "processed" });
    }
    await until(async () => (await homesec(["events", "list", "-o", "id"], set)).out.trim() !== "", "event");
    const doctor = await homesec(["doctor", "-o", "ndjson"], set);
    expect([0, 7], doctor.err).toContain(doctor.code);
    const findings = findingsOf(doctor.out);
    process.stdout.write(`doctor for ${person.name}: ${findings.join("; ") || "no findings"}\n`);
    expect(findings.filter((finding) => finding.startsWith("error"))).toEqual([]);
    if (tmuxInstalled && !person.ids) await answerSetup(program, elsewhere, { ...own, ...set });
  } finally {
    expect(await daemon.stop(), daemon.said()).toBe(0);
  }
}

/** `homesec setup` asks its first question on a terminal, and Ctrl-C leaves it. */
async function answerSetup(program: string, folder: string, env: Readonly<Record<string, string>>): Promise<void> {
  const terminal = await Tmux.open(80, 24, env);
  try {
    await terminal.run(`cd '${folder}'; clear; '${program}' setup; echo "ended with $?"`);
    await terminal.shows(/\?|:\s*$/, 60_000);
    await terminal.keys("C-c");
    await terminal.shows(/ended with 130/, 60_000);
  } finally {
    await terminal.close();
  }
}

/** Findings of doctor as "severity id: finding". */
function findingsOf(ndjson: string): readonly string[] {
  const reports = ndjson
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Readonly<Record<"status" | "severity" | "id" | "finding", string>>);
  expect(reports.length).toBeGreaterThan(30);
  return reports.filter(({ status }) => status === "finding").map(({ severity, id, finding }) => `${severity} ${id}: ${finding}`);
}
