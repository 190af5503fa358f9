import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, describe, expect, it } from "vitest";
import { apiStandIn } from "../support/api-stand-in.ts";
import { startBinary } from "../support/cli.ts";
import { eventually } from "../support/eventually.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { camera, page } from "./records.ts";

const folder = temporaryFolder("binary");
afterAll(() => folder.remove());
const inFolder = { cwd: folder.path };
const program = new URL("../../dist/bin/homesec.js", import.meta.url).pathname;
const hasScript = spawnSync("script", ["--version"]).status === 0;
if (!hasScript) process.stderr.write("`script` is not installed: questions are not tested on a terminal\n");

describe("built program", () => {
  it("built program: prints its version", async () => {
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string };
    expect(await startBinary(["--version"], inFolder)).toMatchObject({ exitCode: 0, stdout: `${version}\n`, stderr: "" });
  });

  it("built program: reads .env from the working folder, and only its own variables", async () => {
    const { stdout } = await startBinary(["config", "show", "-o", "csv"], { ...inFolder, env: { PORT: "9001" } });
    expect(stdout).toContain("PORT,9001,environment\r\n");
  });

  it("built program: exits silently when its reader closes the pipe", async () => {
    const items = Array.from({ length: 1000 }, (_, at) => ({ ...camera, camera_id: `camera-${at}`, name: "x".repeat(200) }));
    const pagination = { ...page(1_000_000), next_cursor: "more", has_more: true };
    const api = await apiStandIn(() => ({ body: { cameras: items, count: items.length, pagination } }));
    const binary = startBinary(["cameras", "list", "-o", "ndjson", "--limit", "1000000"], { ...inFolder, env: { HOMESEC_URL: api.url } });
    binary.stdout.once("data", () => binary.stdout.destroy());
    const { exitCode, stderr } = await binary;
    expect([exitCode, stderr]).toEqual([0, ""]);
    await api.close();
  });

  it.skipIf(!existsSync("/dev/full"))("built program: reports in one line that the disk is full, and ends with 1", async () => {
    const run = (args: string) =>
      execa("sh", ["-c", `'${process.execPath}' '${program}' ${args}`], { cwd: folder.path, reject: false, stripFinalNewline: false });
    for (const args of ["--version", "--help", "events --help"]) {
      const heard = await run(`${args} > /dev/full`);
      expect([heard.exitCode, heard.stderr]).toEqual([
        1,
        "homesec: cannot write to stdout: the disk is full; free some space or choose another disk\n",
      ]);
      expect((await run(`${args} > /dev/full 2>&1`)).exitCode).toBe(1);
    }
  });

  it("built program: leaves no partial file when an export is interrupted", async () => {
    const endless = createServer((_, response) => {
      response.writeHead(200, { "Content-Type": "text/csv; charset=utf-8" });
      response.write("id,camera_id\r\n1,yard\r\n");
    });
    await new Promise<void>((resolve) => endless.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(endless.address() as AddressInfo).port}`;
    const binary = startBinary(["events", "export", "--to", "half.csv", "--url", url], inFolder);
    const file = join(folder.path, "half.csv");
    await eventually(() => existsSync(file) && statSync(file).size > 0);
    binary.kill("SIGINT");
    expect(await binary).toMatchObject({ exitCode: 130, stdout: "" });
    expect(existsSync(file)).toBe(false);
    endless.closeAllConnections();
    endless.close();
  });

  it.skipIf(!hasScript)("built program: a question ends with 130 on Ctrl-C, and any answer except yes changes nothing", async () => {
    const api = await apiStandIn(({ method }) =>
      method === "GET" ? { body: { items: [], pagination: page(2) } } : { status: 409, body: { detail: "the purge was asked for" } },
    );
    const ask = async (typed: string) => {
      const line = `'${process.execPath}' '${program}' dlq purge detect --url ${api.url}`;
      const env = { PATH: process.env["PATH"] ?? "", HOME: folder.path, TERM: "xterm" };
      const terminal = execa("script", ["-qec", line, "/dev/null"], { cwd: folder.path, env, extendEnv: false, reject: false });
      terminal.stdout.on("data", (part: Buffer) => {
        if (part.includes("[y/N]")) terminal.stdin.write(typed);
      });
      const { exitCode, stdout } = await terminal;
      return { exitCode, stdout };
    };
    expect(await ask("\u0003")).toEqual({ exitCode: 130, stdout: expect.stringContaining("Delete 2 dead letters of detect? [y/N]") });
    expect(await ask("n\n")).toEqual({ exitCode: 2, stdout: expect.stringContaining("nothing was changed") });
    expect(api.seen.map(({ method }) => method)).toEqual(["GET", "GET"]);
    expect(await ask("y\n")).toEqual({ exitCode: 5, stdout: expect.stringContaining("the purge was asked for") });
    await api.close();
  });

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("built program: ends with its documented exit code on %s", async (signal, exitCode) => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as AddressInfo;
    const binary = startBinary(["cameras", "list"], { ...inFolder, env: { HOMESEC_URL: `http://127.0.0.1:${port}` } });
    await new Promise((resolve) => silent.once("request", resolve));
    binary.kill(signal);
    expect(await binary).toMatchObject({ exitCode, stdout: "" });
    silent.close();
  });
});
