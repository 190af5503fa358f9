import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chmodSync, chownSync, copyFileSync, cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { freePort } from "../../support/free-port.ts";
import { manifest, root } from "../project.ts";

/** The user that runs a program; without ids the current one. */
export interface Person {
  readonly name: string;
  readonly ids: { readonly uid: number; readonly gid: number } | undefined;
}

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

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** The first steps of a new user: version, demo, start, a picture, events, doctor. */
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
  const options = (more: Readonly<Record<string, string>>) => ({ cwd: elsewhere, env: { ...own, ...more }, ...person.ids });
  const homesec = (args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<Outcome> =>
    new Promise((resolve) => {
      execFile(program, [...args], { ...options(more), maxBuffer: 10_000_000, timeout: 180_000 }, (error, out, err) => {
        resolve({ code: error === null ? 0 : typeof error.code === "number" ? error.code : -1, out, err });
      });
    });

  expect(await homesec(["--version"])).toEqual({ code: 0, out: `${manifest.version}\n`, err: "" });
  expect((await homesec(["--help"])).out).toContain("homesec serve");
  if (!readOnly) {
    const demo = await homesec(["demo", "--once"], { DATA_DIR: join(folder, "demo") });
    expect([demo.code, demo.out]).toEqual([0, expect.stringMatching(/event scored +event 1: risk \d+ of 100/)]);
  }

  const set = { DATA_DIR: data, CAMERA_ROOT: cameras };
  const daemon = spawn(program, ["serve"], { ...options(set), stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [daemon.stdout, daemon.stderr]) stream.on("data", (text: Buffer) => (said += text.toString()));
  try {
    expect((await homesec(["health", "--wait", "90s"], set)).err, said).toContain(", ready");
    // A built-in service may still be starting
    await until(async () => (await homesec(["health"], set)).code === 0, "health");
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
  } finally {
    daemon.kill("SIGTERM");
    expect(await endOf(daemon), said).toBe(0);
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

function endOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => child.once("exit", (code) => resolve(code)));
}

async function until(ask: () => Promise<boolean>, what: string): Promise<void> {
  for (const giveUpAt = performance.now() + 90_000; !(await ask()); ) {
    if (performance.now() > giveUpAt) throw new Error(`no ${what} within 90 s`);
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}
