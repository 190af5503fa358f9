import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { copiesOf, environmentOf, reachesTheBuild, readDockerfile, type Stage, textsOf } from "../dockerfile.ts";
import { filesBelow, manifest, read, root, shippedWith } from "../project.ts";
import { npmSettings } from "./npm.ts";
import { people } from "./shell.ts";
import { tryOut } from "./try-out.ts";

// Directly below /tmp, which every user can enter
const place = mkdtempSync(join(tmpdir(), "homesec-package-"));
chmodSync(place, 0o755);
afterAll(() => rmSync(place, { recursive: true, force: true }));

const isRoot = process.getuid?.() === 0;
let settings: NodeJS.ProcessEnv = {};

/** The environment for npm, with a separate home. */
function npmEnvironment(home: string): NodeJS.ProcessEnv {
  mkdirSync(home, { recursive: true });
  return { ...settings, HOME: home };
}

/** Files of the project, including new ones that git does not ignore. */
async function tracked(): Promise<readonly string[]> {
  const { stdout } = await execa("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: root });
  return stdout.split("\n").filter((path) => existsSync(join(root, path)));
}

const tarball = join(place, "homesec.tgz");
beforeAll(async () => {
  settings = await npmSettings();
  // In a copy, because packing rebuilds the program that other tests are running
  const copy = join(place, "copy");
  for (const path of await tracked()) if (!path.startsWith("test/")) cpSync(join(root, path), join(copy, path));
  cpSync(join(root, "node_modules"), join(copy, "node_modules"), { recursive: true, verbatimSymlinks: true });
  await execa("npm", ["pack", "--pack-destination", place], { cwd: copy });
  renameSync(join(place, `homesec-${manifest.version}.tgz`), tarball);
  rmSync(copy, { recursive: true });
});

describe.each([
  ["without install scripts", ["--ignore-scripts"]],
  ["with install scripts", ["--ignore-scripts=false"]],
])("npm package, installed globally %s", (name, options) => {
  const own = join(place, name.replaceAll(" ", "-"));
  const prefix = join(own, "prefix");
  beforeAll(async () => {
    const home = join(own, "home-of-npm");
    const args = ["install", "--global", "--prefix", prefix, "--no-audit", "--no-fund", ...options, tarball];
    await execa("npm", args, { env: npmEnvironment(home), extendEnv: false, cwd: home });
  });

  it("npm package: contains no development dependencies", async () => {
    const folder = join(prefix, "lib/node_modules/homesec/node_modules");
    const installed = readdirSync(folder)
      .filter((name) => !name.startsWith("."))
      .flatMap((name) => (name.startsWith("@") ? readdirSync(join(folder, name)).map((part) => `${name}/${part}`) : [name]));
    const shipped = shippedWith();
    expect(installed.filter((one) => !shipped.has(one))).toEqual([]);
    const megabytes = Number((await execa("du", ["-sm", prefix])).stdout.split("\t")[0]);
    process.stdout.write(`installed ${name}: ${megabytes} MB, ${installed.length} packages\n`);
    expect(megabytes).toBeLessThan(250);
  });

  it.each(people)("npm package: works for $name, in an empty home", async (person) => {
    await tryOut({ person, program: join(prefix, "bin/homesec"), folder: join(own, `as-${person.name.replaceAll(" ", "-")}`) });
  });
});

describe("Dockerfile steps, carried out in folders", () => {
  const [build, image] = readDockerfile(read("Dockerfile")) as [Stage, Stage];
  const source = join(place, "src");
  const target = join(place, "image");
  beforeAll(async () => {
    const ignore = read(".dockerignore");
    for (const path of await tracked()) if (reachesTheBuild(ignore, path)) cpSync(join(root, path), join(source, path));
    const env = npmEnvironment(join(place, "home-of-build"));
    for (const text of textsOf(build, "RUN")) await execa("sh", ["-c", text], { cwd: source, env, extendEnv: false });
    const workdir = textsOf(build, "WORKDIR").at(-1) ?? "";
    mkdirSync(target);
    for (const { sources, target: to } of copiesOf(image)) {
      for (const path of sources) {
        const from = path.replace(workdir, source);
        cpSync(from, sources.length > 1 ? join(target, to, path.slice(workdir.length + 1)) : join(target, to), {
          recursive: true,
          verbatimSymlinks: true,
        });
      }
    }
  });

  it("Dockerfile steps: produce a program that runs as the image's user and writes only to its data folder", async () => {
    // HOST is meant for a container; here only this machine may connect
    const { DATA_DIR: _, CAMERA_ROOT: __, HOST: ___, ...env } = environmentOf(image);
    const ids = isRoot ? { uid: 65_534, gid: 65_534 } : undefined;
    const entry = JSON.parse(textsOf(image, "ENTRYPOINT").at(-1) ?? "[]") as readonly string[];
    const program = (entry.at(-1) ?? "").replace(textsOf(image, "WORKDIR")[0] ?? "", target);
    await tryOut({ person: { name: "the image's user", ids }, program, folder: join(place, "as-image"), env, readOnly: true });
    expect(readdirSync(join(target, "node_modules")).includes("typescript")).toBe(false);
    expect(filesBelow("migrations").length).toBe(readdirSync(join(target, "migrations")).length);
    expect(manifest.bin.homesec).toBe("dist/bin/homesec.js");
  });
});
